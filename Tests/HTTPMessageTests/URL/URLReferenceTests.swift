import HTTPCore
import Testing

/// The examples of RFC 3986 §5.4 with the base `http://a/b/c/d;p?q`.
@Suite struct URLReferenceTests {
    @Test(arguments: [
        ("http://g/h", "http://g/h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"),
    ])
    func `the normal examples`(reference: String, expected: String) throws {
        #expect(try HTTPURL("http://a/b/c/d;p?q").resolving(reference).string == expected)
    }

    @Test(arguments: [
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g"), ("g#s/../x", "http://a/b/c/g"),
        ("%2e%2E/g", "http://a/b/g"), ("g/%2e/h", "http://a/b/c/g/h"), ("a/b:c", "http://a/b/c/a/b:c"),
        ("1:2", "http://a/b/c/1:2"), ("?", "http://a/b/c/d;p?"), ("//g:81?y", "http://g:81/?y"),
        ("HTTPS://G", "https://g/"), ("é", "http://a/b/c/%C3%A9"),
    ])
    func `the abnormal examples and some more`(reference: String, expected: String) throws {
        #expect(try HTTPURL("http://a/b/c/d;p?q").resolving(reference).string == expected)
    }

    @Test(arguments: [
        ("/a//.", "/a//"), ("//h//.", "//"), ("/a///..", "/a//"), ("/a//b/..", "/a//"), ("/.//.", "//"),
        ("//h//..", "/"),
        ("/a/..", "/"), ("/a/b/%2e", "/a/b/"), ("/a//.?q", "/a//?q"),
    ])
    func `a dot segment behind an empty segment leaves its slash`(reference: String, target: String) throws {
        #expect(try HTTPURL("http://h/").resolving(reference).target == target)
        #expect(try HTTPURL("http:" + (reference.hasPrefix("//") ? "" : "//h") + reference).target == target)
    }

    @Test(arguments: [(".", "/a//"), ("..", "/a/"), ("../..", "/"), ("./", "/a//"), ("./c", "/a//c")])
    func `a reference leads from an empty segment`(reference: String, target: String) throws {
        #expect(try HTTPURL("http://h/a//b").resolving(reference).target == target)
    }

    @Test(arguments: ["g:h", "http:g", "mailto:a@b", "//", "//g:0/", "g h", "g%", "g\n", "\\g"])
    func `an unusable reference is refused`(reference: String) throws {
        #expect(throws: HTTPError.self) { try HTTPURL("http://a/b/c/d;p?q").resolving(reference) }
    }

    @Test(arguments: [("x", "http://a/100%/x"), ("?q", "http://a/100%/b?q"), ("", "http://a/100%/b")])
    func `a broken escape that a server gave does not refuse what is resolved against it`(
        reference: String, expected: String
    ) throws {
        let base = try HTTPURL("http://a/100%/b", spelling: .fromServer)
        #expect(try base.resolving(reference).string == expected)
        #expect(throws: HTTPError.self) { try base.resolving("y%") }
    }

    @Test func `the fragment is the reference's own and the credentials stay with their host`() throws {
        let base = try HTTPURL("https://user:pw@a/b#old")
        #expect(try base.resolving("c#new").fragment == "new")
        #expect(try base.resolving("c").fragment == nil)
        #expect(try base.resolving("c").userinfo == base.userinfo)
        #expect(try base.resolving("//b/").userinfo == nil)
        #expect(try base.resolving("https://a/").userinfo == nil)
        #expect(try base.resolving("//b/").scheme == .https)
    }
}
