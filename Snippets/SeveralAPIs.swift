// To be written.
#if !SNIPPET_TESTS
@main
#endif
enum SeveralAPIs {
    static func main() {}
}
