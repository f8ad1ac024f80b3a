import HTTPMockServer
import HTTPCore
import HTTPPolicies

extension TransportContract {
    static let cookieCases: [Case] = [
        Case(.cookies, "without a jar nothing is kept") { stage in
            let server = try stage.server { _ in .text("ok").header("Set-Cookie", "sid=1; Path=/") }
            for _ in 1...2 { try stage.send(.get(server.url("/"))) }
            try expect("Cookie", cookies(server), is: [nil, nil])
        },
        Case(.cookies, "what one response sets the next request with the jar sends, and none without it") { stage in
            let jar = CookieJar()
            let server = try stage.server { _ in .text("ok").header("Set-Cookie", "sid=1; Path=/; HttpOnly") }
            for draft in [.get(server.url("/")) |> .cookies(jar), .get(server.url("/")) |> .cookies(jar)] {
                try stage.send(draft)
            }
            try stage.send(.get(server.url("/")))
            try stage.send(.get(server.url("/")) |> .cookies(CookieJar()))
            try expect("Cookie", cookies(server), is: [nil, "sid=1", nil, nil])
        },
        Case(.cookies, "a cookie for another domain is refused") { stage in
            let jar = CookieJar()
            let server = try stage.server { _ in
                MockResponse.text("ok").header("Set-Cookie", "wide=1; Domain=.com; Path=/")
                    .header("Set-Cookie", "own=1; Path=/")
            }
            for _ in 1...2 { try stage.send(.get(server.url("/")) |> .cookies(jar)) }
            try expect("Cookie", cookies(server), is: [nil, "own=1"])
            try expect("the jar", jar.cookies.map(\.name), is: ["own"])
        },
        Case(.cookies, "cookies of a redirect come along to the next hop") { stage in
            let server = try stage.server { request in
                request.path == "/end"
                    ? .text("ok")
                    : MockResponse.redirect(to: "/end").header("Set-Cookie", "one=1; Path=/")
                        .header("Set-Cookie", "two=2; Path=/")
            }
            try stage.send(.get(server.url("/")) |> .cookies(CookieJar()))
            try expect("Cookie", cookies(server), is: [nil, "one=1; two=2"])
        },
        Case(.cookies, "each path gets its own") { stage in
            let jar = CookieJar()
            let server = try stage.server { _ in .text("ok") }
            server.enqueue(
                .text("ok").header("Set-Cookie", "deep=1; Path=/a/b").header("Set-Cookie", "all=2; Path=/"))
            for path in ["/", "/a/b/c", "/a/bc", "/a/b"] { try stage.send(.get(server.url(path)) |> .cookies(jar)) }
            try expect("Cookie", cookies(server), is: [nil, "deep=1; all=2", "all=2", "deep=1; all=2"])
        },
        Case(.cookies, "a Secure cookie does not go over http, nor can http set one") { stage in
            let jar = CookieJar()
            let server = try stage.server { _ in .text("ok").header("Set-Cookie", "evil=1; Secure; Path=/") }
            jar.store(["s=1; Secure; Path=/"], from: try HTTPURL("https://127.0.0.1:\(server.port)/"))
            for _ in 1...2 { try stage.send(.get(server.url("/")) |> .cookies(jar)) }
            try expect("Cookie", cookies(server), is: [nil, nil])
            try expect("the jar", jar.cookies.map(\.name), is: ["s"])
        },
        Case(.cookies, "Max-Age=0 takes a cookie back") { stage in
            let jar = CookieJar()
            let server = try stage.server { request in
                .text("ok").header("Set-Cookie", "sid=1; Path=/; Max-Age=\(request.path == "/out" ? 0 : 60)")
            }
            for path in ["/in", "/out", "/"] { try stage.send(.get(server.url(path)) |> .cookies(jar)) }
            try expect("Cookie", cookies(server), is: [nil, "sid=1", nil])
        },
        Case(.cookies, "the caller's cookies and the jar's go out in one field") { stage in
            let jar = CookieJar()
            let server = try stage.server { _ in .text("ok") }
            jar.store(["a=jar", "b=jar"], from: try HTTPURL(server.url("/")))
            try stage.send(.get(server.url("/")) |> .header("Cookie", "a=own") |> .cookies(jar))
            let fields = try stage.request(at: server).headers.values(for: "Cookie")
            try expect("Cookie", fields, is: ["a=own; b=jar"])
        },
        Case(.cookies, "cookies of a refusal count") { stage in
            let jar = CookieJar()
            let server = try stage.server { _ in .text("no", status: .forbidden).header("Set-Cookie", "e=1") }
            try stage.send(.get(server.url("/")) |> .cookies(jar))
            try expect("the jar", jar.cookies.map(\.name), is: ["e"])
        },
    ]

    private static func cookies(_ server: MockServer) -> [String?] { server.requests.map { $0.headers["Cookie"] } }
}
