// To be written.
#if !SNIPPET_TESTS
@main
#endif
enum CentralClient {
    static func main() {}
}
