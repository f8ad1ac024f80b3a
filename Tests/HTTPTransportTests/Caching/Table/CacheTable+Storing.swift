import HTTPCore

// What is stored, and under which key.
extension CacheTable {
    static let storing = methods + statuses + fields + keys + bodies

    private static let minute: HTTPHeaders = ["Cache-Control": "max-age=60"]

    private static let methods: [CacheCase] = {
        let others: [HTTPMethod] = [.post, .put, .patch, .delete, .options, .query, "REPORT", "PROPFIND", "get"]
        return others.map { .passes("RFC 9111 §3", "\($0) is not stored", minute, $0) }
            + [
                CacheCase(
                    "RFC 9111 §3", "HEAD is not stored", .asks(minute, .head, stored: false),
                    .asks(minute, because: .uriMiss)),
                CacheCase("RFC 9111 §4", "GET answers HEAD", .asks(minute), .hits(after: 59, .head)),
                CacheCase(
                    "RFC 9111 §4", "a stale GET does not answer HEAD", .asks(minute), .asks(minute, after: 60, .head)),
                CacheCase(
                    "RFC 9111 §4", "GET does not answer POST", .asks(minute), .asks(minute, .post, because: .method)),
                CacheCase(
                    "RFC 9111 §4", "GET does not answer OPTIONS", .asks(minute),
                    .asks(.init(), .options, because: .method), .hits()),
                CacheCase(
                    "RFC 9110 §9.3.3", "POST that describes its own URL",
                    .asks(minute + ["Content-Location": "/case"], .post), .hits(after: 59)),
                CacheCase(
                    "RFC 9110 §9.3.3", "POST that describes another URL",
                    .asks(minute + ["Content-Location": "/other"], .post), .asks()),
                CacheCase(
                    "RFC 9110 §9.3.3", "POST without a lifetime",
                    .asks(["Content-Location": "/case", "Last-Modified": "{-1000}"], .post), .asks()),
                CacheCase(
                    "RFC 9110 §9.3.3", "POST that is refused",
                    .asks(minute + ["Content-Location": "/case"], status: 400, .post), .asks()),
                CacheCase(
                    "RFC 9110 §9.3.4", "PUT that describes its own URL",
                    .asks(minute + ["Content-Location": "/case"], .put), .asks()),
            ]
    }()

    private static let statuses: [CacheCase] = {
        let final: [HTTPStatus] = [
            200, 201, 202, 203, 204, 226, 299, 300, 301, 302, 303, 307, 308, 399, 400, 402, 403, 404, 405, 406, 409,
            410, 411, 413, 414, 415, 418, 421, 422, 451, 499, 500, 501, 502, 503, 504, 505, 507, 599,
        ]
        let unstored: [(HTTPStatus, Int)] = [(428, 3), (429, 4), (431, 5), (511, 6)]
        return final.map { .lives(60, "RFC 9111 §3", "\($0) with a lifetime is stored", minute, status: $0) }
            + unstored.map {
                .passes("RFC 6585 §\($1)", "\($0) is not stored, whatever its lifetime", minute, status: $0)
            }
            + [206, 304, 412, 416, 417].map {
                .passes("RFC 9111 §3", "\($0) to a request without a condition is not stored", minute, status: $0)
            }
            + [
                CacheCase(
                    "RFC 9110 §15.2", "an interim response is not stored",
                    .asks(minute).answering { $0.hints = ["Cache-Control": "max-age=1", "X-Hint": "1"] },
                    .hits(after: 59, shows: ["X-Hint": nil])),
                CacheCase(
                    "RFC 9110 §15.2", "an interim response forbids nothing",
                    .asks(minute).answering { $0.hints = ["Cache-Control": "no-store"] }, .hits(after: 59)),
                CacheCase(
                    "RFC 9110 §15.4.2", "a redirect is followed from the store",
                    CacheStep(
                        answers: [
                            CacheAnswer(status: 301, headers: minute + ["Location": "/case/new"]),
                            CacheAnswer(headers: minute, body: "new"),
                        ], outcome: .response(.ok, body: "new")),
                    .hits(body: "new", after: 59), .hits(body: "new", at: "/new")),
                CacheCase(
                    "RFC 9110 §15.4.3", "a redirect without a lifetime is asked for each time",
                    CacheStep(
                        answers: [
                            CacheAnswer(status: 302, headers: ["Location": "/case/new"]),
                            CacheAnswer(headers: minute, body: "new"),
                        ], outcome: .response(.ok, body: "new")),
                    .asks(status: 200)),
            ]
    }()

    private static let fields: [CacheCase] = {
        let ofConnection = [
            "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization", "Proxy-Connection",
            "TE", "Upgrade",
        ]
        let kept = [
            "Content-Type", "Content-Language", "Content-Location", "Content-Disposition", "Content-Security-Policy",
            "Access-Control-Allow-Origin", "Allow", "Accept-Ranges", "Link", "Server", "Set-Cookie",
            "Strict-Transport-Security", "Retry-After", "Via", "Warning", "X-Frame-Options", "X-Unknown", "Unknown",
        ]
        return ofConnection.map {
            CacheCase("RFC 9111 §3.1", "\($0) is not stored", .asks(minute + [$0: "1"]), .hits(shows: [$0: nil]))
        }
            + kept.map {
                CacheCase(
                    "RFC 9111 §3.1", "\($0) is stored",
                    .asks(minute + [$0: "one, \"two\""], shows: [$0: "one, \"two\""]),
                    .hits(after: 59, shows: [$0: "one, \"two\""]))
            }
            + [
                CacheCase(
                    "RFC 9111 §3.1", "a field named by Connection is not stored",
                    .asks(minute + ["Connection": "X-One", "X-One": "1", "X-Two": "2"]),
                    .hits(shows: ["Connection": nil, "X-One": nil, "X-Two": "2"])),
                CacheCase(
                    "RFC 9111 §3.1", "several fields named by Connection, in any case",
                    .asks(minute + ["Connection": "x-one , X-TWO", "X-One": "1", "X-Two": "2", "X-Three": "3"]),
                    .hits(shows: ["X-One": nil, "X-Two": nil, "X-Three": "3"])),
                CacheCase(
                    "RFC 9111 §3.1", "a field of two lines keeps both",
                    .asks(minute + ["X-One": "1", "x-one": "2"]), .hits(shows: ["X-One": "1, 2"])),
                CacheCase(
                    "RFC 9111 §3.1", "an empty field is stored", .asks(minute + ["X-One": ""]),
                    .hits(shows: ["X-One": ""])),
                CacheCase(
                    "RFC 9111 §3.1", "a coding of transfer is not stored",
                    .asks(minute, body: "abc").answering { $0.isChunked = true },
                    .hits(body: "abc", shows: ["Transfer-Encoding": nil])),
            ]
    }()

    private static let keys: [CacheCase] = {
        let different: [(String, String, String)] = [
            ("another query", "?a=1", "?a=2"), ("a query and none", "?a=1", ""), ("an empty query and none", "?", ""),
            ("another order of the query", "?a=1&b=2", "?b=2&a=1"), ("another case of the path", "/A", "/a"),
            ("a slash at the end", "/a", "/a/"), ("an escaped slash", "/a%2Fb", "/a/b"),
            ("another path", "/a", "/b"), ("another case of the query", "?A", "?a"),
        ]
        let alike: [(String, String, String)] = [
            ("a fragment", "/a", "/a#part"), ("two fragments", "/a#one", "/a#two"), ("the same query", "?a=1", "?a=1"),
        ]
        let users: [(String, HTTPHeaders, HTTPHeaders)] = [
            ("another user", ["Authorization": "Bearer a"], ["Authorization": "Bearer b"]),
            ("no user any more", ["Authorization": "Bearer a"], [:]),
            ("a user now", [:], ["Authorization": "Bearer a"]),
            ("another scheme", ["Authorization": "Basic YTpi"], ["Authorization": "Bearer YTpi"]),
        ]
        return different.map { name, one, other in
            CacheCase(
                "RFC 9111 §2", "\(name) is another key", .asks(minute, at: one),
                .asks(minute, at: other, because: .uriMiss),
                .hits(at: one), .hits(1, at: other))
        }
            + alike.map { name, one, other in
                CacheCase("RFC 9111 §2", "\(name) is no other key", .asks(minute, at: one), .hits(at: other))
            }
            + users.map { name, one, other in
                CacheCase(
                    "RFC 9111 §3.5", "\(name)", .asks(minute, with: one),
                    .asks(minute, with: other, because: .varyMiss),
                    .hits(with: one), .hits(1, with: other))
            }
            + ["public", "must-revalidate", "s-maxage=60"].map { directive in
                CacheCase(
                    "RFC 9111 §3.5", "\(directive) shares nothing with another user",
                    .asks(["Cache-Control": "max-age=60, \(directive)"], with: ["Authorization": "Bearer a"]),
                    .hits(with: ["Authorization": "Bearer a"]),
                    .asks(with: ["Authorization": "Bearer b"], because: .varyMiss))
            }
            + [
                CacheCase(
                    "RFC 9111 §3.5", "the same user", .asks(minute, with: ["Authorization": "Bearer a"]),
                    .hits(after: 59, with: ["Authorization": "Bearer a"]))
            ]
    }()

    private static let bodies: [CacheCase] = [
        CacheCase("RFC 9111 §3", "an empty body is stored", .asks(minute, body: ""), .hits(body: "", after: 59)),
        CacheCase(
            "RFC 9111 §3", "an empty chunked body is stored",
            .asks(minute, body: "").answering { $0.isChunked = true }, .hits(body: "", after: 59)),
        CacheCase(
            "RFC 9111 §3", "a body that ends with the connection is stored",
            .asks(minute, body: "abc").answering { $0.endsConnection = true }, .hits(body: "abc", after: 59)),
        CacheCase(
            "RFC 9111 §3.3", "a body that is cut short is not stored",
            CacheStep(answers: [CacheAnswer(headers: minute, body: "abcdef", isCut: true)], outcome: .failure),
            .asks(minute, because: .uriMiss), .hits(1)),
        CacheCase(
            "RFC 9111 §3.3", "a chunked body that is cut short is not stored",
            CacheStep(
                answers: [CacheAnswer(headers: minute, body: "abcdef", isChunked: true, isCut: true)], outcome: .failure
            ),
            .asks(minute, because: .uriMiss)),
        CacheCase(
            "RFC 9111 §3.3", "a cut body in place of a stored one loses nothing",
            .asks(minute + ["ETag": "\"1\""]),
            CacheStep(
                after: 60, answers: [CacheAnswer(headers: minute, body: "abcdef", isCut: true)],
                conditions: ["If-None-Match": "\"1\""], outcome: .failure),
            .validates(sending: ["If-None-Match": "\"1\""])),
    ]
}
