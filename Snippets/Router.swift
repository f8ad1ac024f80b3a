// To be written.
#if !SNIPPET_TESTS
@main
#endif
enum Router {
    static func main() {}
}
