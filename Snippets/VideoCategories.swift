// To be written.
#if !SNIPPET_TESTS
@main
#endif
enum VideoCategories {
    static func main() {}
}
