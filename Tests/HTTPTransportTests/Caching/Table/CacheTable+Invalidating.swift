import HTTPCore

// What a request that changes something makes outdated.
extension CacheTable {
    static let invalidating: [CacheCase] = {
        let minute: HTTPHeaders = ["Cache-Control": "max-age=60"]
        let unsafe: [HTTPMethod] = [.post, .put, .delete, .patch, "MKCOL", "LOCK", "UNKNOWN"]
        let done: [HTTPStatus] = [200, 201, 202, 204, 206, 299, 301, 302, 303, 307, 308]
        let failed: [HTTPStatus] = [400, 401, 403, 404, 405, 409, 410, 422, 429, 500, 502, 503, 504]
        let places: [(String, HTTPHeaders)] = [
            ("Location", ["Location": "/case/b"]), ("Content-Location", ["Content-Location": "/case/b"]),
            ("a relative Location", ["Location": "b"]), ("a relative Content-Location", ["Content-Location": "./b"]),
            ("both", ["Location": "/case/c", "Content-Location": "/case/b"]),
        ]
        let elsewhere: [(String, HTTPHeaders)] = [
            ("Location of another origin", ["Location": "http://elsewhere.example/case/b"]),
            ("Content-Location of another origin", ["Content-Location": "http://elsewhere.example/case/b"]),
            ("Location by another name of the host", ["Location": "//localhost/case/b"]),
            ("an invalid Content-Location", ["Content-Location": "http://[/case/b"]),
            ("another field", ["Link": "</case/b>; rel=alternate"]),
        ]
        return unsafe.map {
            CacheCase(
                "RFC 9111 §4.4", "\($0)", .asks(minute), .asks(.init(), $0, because: .method),
                .asks(minute, because: .uriMiss))
        }
            + [HTTPMethod.head, .options, .query].map {
                CacheCase(
                    "RFC 9111 §4.4", "\($0) is safe", .asks(minute),
                    .asks(.init(), $0, with: ["Cache-Control": "no-cache"]), .hits())
            }
            + done.map {
                CacheCase(
                    "RFC 9111 §4.4", "a change that is answered \($0)", .asks(minute), .asks(status: $0, .put),
                    .asks(minute, because: .uriMiss))
            }
            + failed.map {
                CacheCase(
                    "RFC 9111 §4.4", "a change that is answered \($0) was none", .asks(minute), .asks(status: $0, .put),
                    .hits())
            }
            + places.map { name, fields in
                CacheCase(
                    "RFC 9111 §4.4", "what \(name) names", .asks(minute, at: "/b"),
                    .asks(fields, status: 201, .post, at: "/a"),
                    .asks(minute, at: "/b", because: .uriMiss))
            }
            + elsewhere.map { name, fields in
                CacheCase(
                    "RFC 9111 §4.4", "not what \(name) names", .asks(minute, at: "/b"),
                    .asks(fields, status: 201, .post, at: "/a"),
                    .hits(at: "/b"))
            }
            + places.map { name, fields in
                CacheCase(
                    "RFC 9111 §4.4", "not what \(name) of a refusal names", .asks(minute, at: "/b"),
                    .asks(fields, status: 409, .post, at: "/a"), .hits(at: "/b"))
            }
            + [
                CacheCase(
                    "RFC 9111 §4.4", "not another URL", .asks(minute, at: "/b"), .asks(.init(), .put, at: "/a"),
                    .hits(at: "/b")),
                CacheCase(
                    "RFC 9111 §4.4", "not another query", .asks(minute, at: "?a=1"), .asks(.init(), .put),
                    .hits(at: "?a=1")),
                CacheCase(
                    "RFC 9111 §4.4", "all variants", .asks(minute + ["Vary": "X-One"], with: ["X-One": "1"]),
                    .asks(minute + ["Vary": "X-One"], with: ["X-One": "2"]), .asks(.init(), .delete),
                    .asks(with: ["X-One": "1"], because: .uriMiss), .asks(with: ["X-One": "2"])),
                CacheCase(
                    "RFC 9111 §4.4", "also by a request that says no-store", .asks(minute),
                    .asks(.init(), .put, with: ["Cache-Control": "no-store"]), .asks(because: .uriMiss)),
                CacheCase(
                    "RFC 9111 §4.4", "also by another user", .asks(minute, with: ["Authorization": "Bearer a"]),
                    .asks(.init(), .put, with: ["Authorization": "Bearer b"]),
                    .asks(with: ["Authorization": "Bearer a"], because: .uriMiss)),
                CacheCase(
                    "RFC 9111 §4.4", "what is asked for afterwards is stored anew", .asks(minute), .asks(.init(), .put),
                    .asks(minute, stored: true), .hits(2, after: 59)),
                CacheCase(
                    "RFC 9111 §4.4", "the redirect of a change", .asks(minute, at: "/a"),
                    CacheStep(
                        method: .post, path: "/a",
                        answers: [CacheAnswer(status: 307, headers: ["Location": "/case/b"]), CacheAnswer()],
                        outcome: .response(.ok, body: nil)),
                    .asks(minute, at: "/a", because: .uriMiss)),
            ]
    }()
}
