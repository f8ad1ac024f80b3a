import HTTPPolicies
import Foundation
import Testing

import HTTPCore

/// Keeping, restoring, clearing and printing.
@Suite struct CookieJarTests {
    private let clock = CookieClock()
    private let jar: CookieJar

    init() { jar = CookieJar(clock) }

    @Test func `a saved and restored jar sends the same cookies`() throws {
        try jar.store("a=1; Max-Age=100; HttpOnly; SameSite=Strict", from: "https://www.example.com/x/y")
        try jar.store("b=\"2\"; Secure; Domain=example.com; Path=/", from: "https://www.example.com/")
        try jar.store("bare; Path=/", from: "https://www.example.com/")
        let data = try JSONEncoder().encode(jar.cookies)
        let cookies = try JSONDecoder().decode([Cookie].self, from: data)
        #expect(cookies == jar.cookies)
        #expect(cookies.map(\.isSession) == [false, true, true])
        let restored = CookieJar(clock, restoring: cookies)
        #expect(try restored.field(for: "https://www.example.com/x/") == "a=1; b=\"2\"; bare")
        clock.advance(100)
        #expect(CookieJar(clock, restoring: cookies).cookies.map(\.name) == ["b", ""])
    }

    @Test func `a jar restored before the clock is set keeps its cookies`() throws {
        clock.advance(20_000 * 86_400)
        try jar.store("a=1; Max-Age=100", from: "https://h.test/")
        let saved = jar.cookies
        clock.advance(-20_000 * 86_400)
        let restored = CookieJar(clock, restoring: saved)
        clock.advance(20_000 * 86_400 + 99)
        #expect(try restored.field(for: "https://h.test/") == "a=1")
        clock.advance(1)
        #expect(try restored.field(for: "https://h.test/") == "")
    }

    @Test func `a restored cookie lasts 400 days at most, whatever its file says of its end`() throws {
        try jar.store("a=1; Max-Age=100", from: "https://h.test/")
        var saved = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(jar.cookies)) as? [[String: Any]])
        saved[0]["expires"] = 253_000_000_000
        let cookies = try JSONDecoder().decode([Cookie].self, from: JSONSerialization.data(withJSONObject: saved))
        let restored = CookieJar(clock, restoring: cookies)
        clock.advance(400 * 86_400 - 1)
        #expect(try restored.field(for: "https://h.test/") == "a=1")
        clock.advance(1)
        #expect(try restored.field(for: "https://h.test/") == "")
    }

    @Test func `every cookie that a jar accepts can be restored`() throws {
        try jar.store("a=1", from: "https://h.test/app;v=1/login")
        try jar.store("b=c=d", from: "https://h.test/%20/x")
        try jar.store("=e=f", from: "https://h.test/")
        try jar.store("c\td=e\tf; Path=/x\ty; SameSite=\tLax", from: "https://h.test/")
        try jar.store("\tg\t=\th\t; Path=\t/\t; Domain=\th.test\t", from: "https://www.h.test/")
        #expect(jar.cookies.map(\.path) == ["/app;v=1", "/%20", "/x\ty", "/"])
        let restored = try JSONDecoder().decode([Cookie].self, from: try JSONEncoder().encode(jar.cookies))
        #expect(restored == jar.cookies)
        #expect(try CookieJar(clock, restoring: restored).field(for: "https://h.test/app;v=1/") == "a=1; g=h")
    }

    @Test func `a cookie with any other control character in its path, domain or name is refused`() throws {
        for byte in (0...0x1F).filter({ $0 != 9 }) + [0x7F] {
            let control = String(Unicode.Scalar(UInt8(byte)))
            for field in [
                "a=b; Path=/x\(control)y", "a=b; Domain=h\(control).test", "a\(control)=b", "a=b\(control)c",
                "a=b; Other=\(control)",
            ] {
                #expect(try !jar.store(field, from: "https://h.test/"), "\(field.debugDescription)")
            }
        }
        #expect(jar.cookies.isEmpty)
    }

    /// Fields made of significant characters, by a generator that always gives the same ones.
    @Test func `no field makes a jar undecodable`() throws {
        let pieces = [
            "a", "b", "=", ";", " ", "\t", "\"", ",", "/", ".", "\\", "\u{301}", "\u{2028}", "é", "\u{80}", "\u{FEFF}",
            "-",
            "__Host-", "__Secure-", "; Path=/", "; Path=", "; Domain=h.test", "; Domain=", "; Secure", "; Max-Age=9",
            "; Expires=Sat, 21 Nov 2099 00:00:30 GMT", "; SameSite=Lax", "; HttpOnly",
        ]
        var state: UInt64 = 1
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        var taken = 0
        for _ in 0..<4000 {
            let jar = CookieJar(clock)
            let field = (0..<(1 + next(9))).map { _ in pieces[next(pieces.count)] }.joined()
            guard try jar.store(field, from: ["https://h.test/x;y/z", "http://www.h.test/", "https://[::1]/"][next(3)])
            else { continue }
            taken += 1
            let saved = try JSONDecoder().decode(SavedCookies.self, from: try JSONEncoder().encode(jar.cookies))
            #expect(saved.skipped.isEmpty && saved.cookies == jar.cookies, "\(field.debugDescription)")
        }
        #expect(taken > 1000)
    }

    @Test func `a session ends by leaving out its cookies`() throws {
        try jar.store("a=1; Max-Age=100", from: "https://h.test/")
        try jar.store("b=1", from: "https://h.test/")
        #expect(CookieJar(clock, restoring: jar.cookies.filter { !$0.isSession }).cookies.map(\.name) == ["a"])
        jar.removeSessionCookies()
        #expect(jar.cookies.map(\.name) == ["a"])
    }

    @Test(arguments: [
        ("\"1\"", "\"1\\r\\nX: y\""), ("\"1\"", "\"1; b=2\""), ("\"name\"", "\" name\""), ("\"name\"", "\"na=me\""),
        ("\"\\/p\"", "\"p\""), ("\"\\/p\"", "\"\\/p\\nq\""), ("\"h.test\"", "\"\""), ("\"h.test\"", "\"h\\n.test\""),
        ("false", "\"maybe\""),
    ])
    func `an invalid changed cookie is refused`(old: String, new: String) throws {
        try jar.store("name=1; Path=/p", from: "https://h.test/")
        let text = String(decoding: try JSONEncoder().encode(jar.cookies), as: UTF8.self)
        #expect(text.contains(old))
        let changed = Data(text.replacingOccurrences(of: old, with: new).utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Cookie].self, from: changed) }
    }

    @Test func `a domain is cleared together with the hosts below it`() throws {
        for host in ["example.com", "www.example.com", "example.org", "notexample.com"] {
            try jar.store("a=1", from: "http://\(host)/")
        }
        jar.removeAll(for: "Example.com")
        #expect(jar.cookies.map(\.domain) == ["example.org", "notexample.com"])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
    }

    @Test func `no value is printed, not even by reflection of a cookie or a jar`() throws {
        try jar.store("sid=opensesame; Domain=h.test", from: "http://www.h.test/")
        try jar.store("opensesame-bare", from: "http://www.h.test/")
        let draft = MutableRequest.get("http://www.h.test/") |> .cookies(jar)
        var dumped = ""
        dump(jar, to: &dumped)
        dump(jar.cookies, to: &dumped)
        dump(draft, to: &dumped)
        let request = try Request(draft).withCookies()
        #expect(request.headers["Cookie"] == "sid=opensesame; opensesame-bare")
        for text in [
            "\(jar)", "\(jar.cookies)", String(reflecting: jar.cookies), dumped, "\(draft)", "\(request.headers)",
        ] {
            #expect(!text.contains("opensesame"))
        }
        #expect(jar.cookies.first?.description == "sid=<redacted> for *.h.test/")
    }

    @Test func `any number of threads may share a jar`() async throws {
        let url = try HTTPURL("http://h.test/")
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask { [jar] in
                    jar.store(["c\(index)=1"], from: url)
                    _ = jar.cookies(for: url)
                }
            }
        }
        #expect(jar.cookies(for: url).count == 40)
    }
}
