import HTTPEngine
import HTTPCore
import Testing

/// The error for a URL, a reference or a proxy's address on its own.
@Suite struct URLErrorTests {
    @Test(arguments: [
        ("https://h/a b", "contains a space at character 12: write it %20"),
        ("https://h/a?q=x y", "contains a space at character 16"),
        ("https://h/é/a b", "contains a space at character 14"),
        ("https://h/a?q=<redacted>", "contains <redacted> at character 15: it is a printed URL: use its `string`"),
        ("https://h/a\\b", "contains a backslash at character 12"),
        ("https://h/100%", "has a \"%\" that starts no escape at character 14"),
        ("https://h/%4", "starts no escape at character 11"), ("https://h/%20/%zz", "no escape at character 15"),
        ("https://h/a\nb", "contains the control character 0x0A at character 12"),
        ("http://exa mple/", "contains a space in its host"), ("http://h:x/", "has a port that is not a number"),
        ("ftp://h/", "has the scheme \"ftp\""), ("h/x", "has no scheme: write it as https://host/path"),
        ("", "no scheme"),
    ])
    func `a URL is refused with what is wrong and where`(text: String, words: String) throws {
        do throws(HTTPError) {
            _ = try HTTPURL(text)
            Issue.record("accepted")
        } catch {
            guard case .invalidRequest(let invalid) = error else { throw error }
            #expect(invalid.method == nil)
            #expect("\(error)" == invalid.reason && invalid.reason.hasPrefix("the URL \""), "\(error)")
            #expect("\(error)".contains(words), "\(error)")
            #expect(!"\(error)".contains("was not sent"), "\(error)")
        }
    }

    @Test func `a reference counts from its own start`() throws {
        let base = try HTTPURL("https://h/a/long/path/")
        for (text, words) in [("x y", "at character 2"), ("?a=%", "at character 4"), ("//k/ b", "at character 5")] {
            do throws(HTTPError) {
                _ = try base.resolving(text)
                Issue.record("accepted")
            } catch {
                #expect("\(error)".contains("the reference \"\(text)\"") && "\(error)".contains(words), "\(error)")
            }
        }
    }

    @Test func `a proxy's address is refused in the same way`() throws {
        for (text, words) in [
            ("ftp://proxy", "has the unknown proxy scheme \"ftp\""),
            ("http://proxy:x", "has a port that is not a number"),
            ("http://proxy/path", "has more than a host and a port"), ("", "has no host"),
        ] {
            do throws(HTTPError) {
                _ = try Proxy(text)
                Issue.record("accepted")
            } catch { #expect("\(error)".contains("\" \(words)"), "\(error)") }
        }
    }

    @Test(arguments: [
        "https://user:S3CR3T@h/a b", "https://h/a b?token=S3CR3T", "https://u:S3CR3T/x@h/", "http://h:S3CR3T/",
        "S3CR3T:x@h",
    ])
    func `nothing secret is repeated`(text: String) {
        for error in [
            #expect(throws: HTTPError.self) { _ = try HTTPURL(text) },
            #expect(throws: HTTPError.self) { _ = try HTTPURL("http://h/").resolving(text) },
            #expect(throws: HTTPError.self) { _ = try Proxy(text.replacing("S3CR3T", with: "S3CR3T\\")) },
        ] { #expect(!"\(error as Any)".contains("S3CR3T"), "\(error as Any)") }
    }

    @Test func `a printed URL is not sent with its mask in the place of a secret`() throws {
        let url = try HTTPURL("https://h/list?key=S3CR3T")
        let error = #expect(throws: HTTPError.self) { _ = try Request(.get("\(url)&page=2")) }
        #expect("\(error as Any)".contains("use its `string`") && !"\(error as Any)".contains("S3CR3T"))
        #expect(try Request(.get("\(url.string)&page=2")).url.target == "/list?key=S3CR3T&page=2")
    }

    @Test func `a request names its method and both places`() throws {
        let error = #expect(throws: HTTPError.self) { _ = try Request(.post("https://h/a b")) }
        #expect(
            "\(error as Any)".contains(
                "POST https://h/a b was not sent: the URL \"https://h/a b\" contains a space at character 12: write it %20"
            ),
            "\(error as Any)")
    }
}
