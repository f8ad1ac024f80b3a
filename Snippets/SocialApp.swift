// To be written.
#if !SNIPPET_TESTS
@main
#endif
enum SocialApp {
    static func main() {}
}
