import HTTPEngine
import Testing

import HTTPCore

/// The part before the host, which can make a URL look like one for another host.
@Suite struct UserinfoTests {
    @Test(arguments: [
        ("https://good.example\\@evil.example/", "backslash"), ("https://good.example\\:x@evil.example/", "backslash"),
        ("https://a@b@evil.example/", "more than one @"),
        ("https://a@b:p@c/", "more than one @"), ("https://@@evil.example/", "more than one @"),
        ("https://a:p@ss@evil.example/", "more than one @"), ("https://a b@evil.example/", "percent-encoded"),
        ("https://a[b]@evil.example/", "percent-encoded"), ("https://[::1]@evil.example/", "percent-encoded"),
        ("https://a|b:p@evil.example/", "percent-encoded"), ("https://a^b@evil.example/", "percent-encoded"),
        ("https://<a>@evil.example/", "percent-encoded"), ("https://\"a\"@evil.example/", "percent-encoded"),
        ("https://{a}`@evil.example/", "percent-encoded"), ("https://mü:p@evil.example/", "percent-encoded"),
        ("https://good.example／@evil.example/", "percent-encoded"), ("https://a%zz@evil.example/", "does not decode"),
        ("https://good.example\u{338}@evil.example/", "percent-encoded"),
    ])
    func `user information that RFC 3986 does not allow is refused`(text: String, named: String) throws {
        let problem = try #require(throws: HTTPError.self) { _ = try HTTPURL(text) }
        #expect(problem.description.contains(named), "\(problem)")
        #expect(throws: URLProblem.self) { _ = try HTTPURL("http://a/").resolving(text, spelling: .fromServer) }
        let reference = String(text.dropFirst("https:".count))
        #expect(throws: HTTPError.self) { _ = try HTTPURL("http://a/").resolving(reference) }
        // In the address of a proxy, which is a setting, the last @ ends the credentials.
        if named == "more than one @" { return }
        #expect(throws: HTTPError.self) { _ = try Proxy(text.replacing("/evil", with: "evil")) }
    }

    @Test func `valid characters and escapes in user information are accepted`() throws {
        let url = try HTTPURL("https://a-._~!$&'()*+,;=%40%5C%C3%BC:p:%3A%20%2F@h/")
        #expect(url.userinfo?.user == "a-._~!$&'()*+,;=@\\ü")
        #expect(url.userinfo?.password == "p:: /")
        #expect(url.host == "h")
    }

    @Test(arguments: [
        "http://admin:S3CR3T", "http://admin:S3CR3T/", "http://admin:S3CR3T?x", "http://[::1]S3CR3T/", "//admin:S3CR3T",
        "http://[::1]:S3CR3T/", "http://user:S3CR3T\\@h/", "http://user:S3CR3T@h@i/", "http://h:8x0S3CR3T/",
        "http://user:S3CR3T ü@h/", "http:admin:S3CR3T", "http:/admin:S3CR3T", "admin:S3CR3T", "admin:S3CR3T/x",
        "https:\\\\admin:S3CR3T", "http://u@h:S3CR3T/", "ftp://admin:S3CR3T/", "http://a:80:S3CR3T/",
        "http://admin:\u{301}S3CR3T/", "http://admin:S3CR3T/@x",
    ])
    func `invalid text in the place of a port is not repeated`(text: String) throws {
        for draft in [MutableRequest.get(text), MutableRequest(.get, "x", baseURL: text)] {
            let error = try #require(throws: HTTPError.self) { _ = try Request(draft) }
            #expect(!"\(error)".contains("S3CR3T"), "\(error)")
            #expect(!"\(draft)".contains("S3CR3T"), "\(draft)")
        }
        let problem = #expect(throws: HTTPError.self) { _ = try HTTPURL(text) }
        #expect(!"\(String(describing: problem))".contains("S3CR3T"))
        #expect(!RequestPath(encoded: text).description.contains("S3CR3T"))
    }

    @Test(arguments: ["http://h:0/", "http://h:65536/", "http://h:99999999999999999999/"])
    func `an invalid port number is repeated`(text: String) throws {
        let problem = try #require(throws: HTTPError.self) { _ = try HTTPURL(text) }
        #expect(problem.description.contains("the port \"\(text.dropFirst(9).dropLast())\""), "\(problem)")
    }

    @Test func `the error for an IPv6 address without brackets says so`() throws {
        let problem = try #require(throws: HTTPError.self) { _ = try HTTPURL("http://fe80::1/") }
        #expect(problem.description.contains("[fe80::1]"))
    }
}

/// Texts that are equivalent in Unicode: the bytes count.
@Suite struct URLByteTests {
    @Test(arguments: [
        ("http://h:\u{301}80/", "not a number"), ("http://h:80\u{301}/", "not a number"),
        ("http://\u{33A}e/", "no form in ASCII"),
        ("http:/\u{33A}/e/", "\"//\""), ("http:\u{33A}//e/", "\"//\""), ("http://[::1\u{301}]/", "IPv6"),
        ("http://[::1]\u{301}/", "IPv6"),
    ])
    func `a combining mark is never part of a delimiter`(text: String, named: String) throws {
        let problem = try #require(throws: HTTPError.self) { _ = try HTTPURL(text) }
        #expect(problem.description.contains(named), "\(problem)")
    }

    @Test func `a reference with two slashes names a host whatever follows`() throws {
        let base = try HTTPURL("http://h/a")
        #expect(throws: HTTPError.self) { _ = try base.resolving("//\u{33A}e@evil.example/") }
        #expect(throws: URLProblem.self) { _ = try base.resolving("//\u{33A}evil.example/", spelling: .fromServer) }
        #expect(throws: HTTPError.self) { _ = try base.resolving("//e@\u{33A}evil.example/") }
        #expect(try base.resolving("/\u{33A}x").string == "http://h/%CC%BAx")
        #expect(try base.resolving("//h2/\u{33A}").string == "http://h2/%CC%BA")
    }

    @Test func `Unicode-equivalent spellings are two fragments and two passwords`() throws {
        #expect(try HTTPURL("http://h/#é") != HTTPURL("http://h/#e\u{301}"))
        #expect(try HTTPURL("http://u:%C3%A9@h/") != HTTPURL("http://u:e%CC%81@h/"))
        #expect(try HTTPURL("http://h/é") != HTTPURL("http://h/e\u{301}"))
        #expect(try HTTPURL("http://é.example/") == HTTPURL("http://e\u{301}.example/"), "IDNA makes them one name")
    }

    @Test func `a proxy's address is parsed by bytes`() throws {
        #expect(throws: HTTPError.self) { _ = try Proxy("http://proxy:\u{301}3128") }
        for rest in ["?x:1@y", "/\u{301}"] {
            #expect(throws: HTTPError.self) { _ = try Proxy("user:pw@proxy\(rest)") }
        }
        #expect(ProxyExclusions(list: "a,\u{301}b,c").contain(Origin(scheme: .http, host: "c")))
        #expect(AddressBlock("10.0.0.0/\u{301}8") == nil)
        #expect(IPAddress.bytes(of: "[::1]\u{301}") == nil)
        #expect(IPAddress.bytes(of: "1:::2") == nil && IPAddress.bytes(of: ":::") == nil)
    }

    @Test func `a media type is parsed by bytes`() {
        let type = MediaType("text/html;\u{301}a=b; charset=utf-8")
        #expect(type?.essence == "text/html")
        #expect(type?.charset == "utf-8")
        #expect(MediaType("text/\u{301}html") == nil)
        #expect(
            MediaType("a/b; c=\"x;\u{301}\\\"y\"")?.parameters.first?.value.utf8.elementsEqual("x;\u{301}\"y".utf8)
                == true)
    }
}
