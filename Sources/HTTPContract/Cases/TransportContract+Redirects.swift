import HTTPMockServer
import HTTPCore
import HTTPFoundation

extension TransportContract {
    static let redirectCases: [Case] = [
        Case(.redirects, "a relative redirect is resolved against the place it comes from") { stage in
            let server = try stage.server { request in
                request.path == "/a/end" ? .text("there") : .redirect(to: "end?x=1#part", status: .movedPermanently)
            }
            let response = try stage.send(.get(server.url("/a/b/../start")) |> .header("X-Own", "kept"))
            try expect("the status", response.status, is: .ok)
            try expect("the last target", server.requests.last?.target, is: "/a/end?x=1")
            try expect("X-Own", server.requests.map { $0.headers["X-Own"] }, is: ["kept", "kept"])
            try expect("the history", response.redirects.map(\.location.string), is: [server.url("/a/end?x=1")])
            try expect("the attempts", response.metrics.attemptCount, is: 2)
        },
        Case(.redirects, "another origin gets no Authorization, no Cookie and no field of one's own") { stage in
            let other = try stage.server { _ in .text("other") }
            let server = try stage.server { _ in .redirect(to: other.url("/")) }
            try stage.send(secretive(server.url("/")))
            let first = try stage.request(at: server).headers
            let secrets = ["Authorization", "Cookie", "X-Api-Key", "X-Trace"]
            try expect("the first host's fields", secrets.map { first[$0] }, is: ["Bearer secret", "a=b", "k", "7"])
            let crossed = try stage.request(at: other).headers
            let names = Set(crossed.map { $0.name.lowercased() })
            let leaked = names.intersection(secrets.map { $0.lowercased() })
            try expect("nothing of \(secrets) at the other origin", leaked.isEmpty, got: leaked.sorted())
            try expect("Accept at the other origin", crossed.values(for: "Accept"), is: ["text/plain"])
        },
        Case(.redirects, "a field travels to another origin where the caller lists it") { stage in
            let other = try stage.server { _ in .text("other") }
            let server = try stage.server { _ in .redirect(to: other.url("/")) }
            try stage.send(secretive(server.url("/")) |> .redirects(RedirectPolicy(crossOriginHeaders: ["x-trace"])))
            let headers = try stage.request(at: other).headers
            try expect("X-Trace", headers["X-Trace"], is: "7")
            try expect("Authorization", headers["Authorization"], is: nil)
        },
        Case(.redirects, "301 and 302 turn POST into GET, 303 all but HEAD, 307 and 308 repeat method and body") {
            stage in
            for (code, method, next) in [
                (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"),
                (303, "DELETE", "GET"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (307, "POST", "POST"),
                (308, "POST", "POST"),
            ] {
                let server = try stage.server { request in
                    request.path == "/end" ? .text("ok") : .redirect(to: "/end", status: HTTPStatus(code))
                }
                try stage.send(.request(HTTPMethod(method), server.url("/")) |> .json([1]))
                let isRepeated = next == method
                try expect("the methods after \(code)", server.requests.map(\.method.rawValue), is: [method, next])
                try expect(
                    "the bodies after \(code)", server.requests.map(\.text), is: ["[1]", isRepeated ? "[1]" : ""])
                let types = server.requests.map { $0.headers.contains("Content-Type") }
                try expect("Content-Type after \(code)", types, is: [true, isRepeated])
            }
            let server = try stage.server { request in
                request.path == "/end" ? .text("ok") : .redirect(to: "/end", status: .seeOther)
            }
            try stage.send(.head(server.url("/")))
            try expect("the methods of a HEAD", server.requests.map(\.method), is: [.head, .head])
        },
        Case(.redirects, "without redirects the response itself comes back, body and all") { stage in
            let server = try stage.server { _ in
                MockResponse.text("moved", status: .found).header("Location", "/elsewhere")
            }
            let response = try stage.send(.get(server.url("/")) |> .redirects(.never))
            try expect("the status", response.status, is: .found)
            try expect("the body", try response.text(), is: "moved")
            try expect("the number of requests", server.requestCount, is: 1)
        },
        Case(.redirects, "a redirect that names no place is delivered with its body") { stage in
            let server = try stage.server { _ in .text("nowhere", status: .found) }
            let response = try stage.send(.get(server.url("/")))
            try expect("the status", response.status, is: .found)
            try expect("the body", try response.text(), is: "nowhere")
        },
        Case(.redirects, "a body that can be sent only once ends the call at a 307, and is sent once") { stage in
            let server = try stage.server { request in
                request.path == "/a" ? .redirect(to: "/b", status: 307) : .text("ok")
            }
            let step = RequestStep.stream(length: 4, replayable: false) { .data(Data("once".utf8)) }
            let error = try stage.failure(of: .put(server.url("/a")) |> step)
            guard case .redirect(let failure) = error else { throw ContractViolation("a redirect failure", "\(error)") }
            try expect("the reason", failure.reason, is: .bodyNotReplayable)
            try expect("the bodies", server.requests.map(\.text), is: ["once"])
        },
        Case(.redirects, "a circle ends the call after three visits to a URL") { stage in
            let server = try stage.server { .redirect(to: $0.path == "/circle" ? "/circle2" : "/circle") }
            try expect("the reason", try redirectFailure(stage, server.url("/circle")), is: .cycle(visits: 3))
            try expect("the number of requests", server.requestCount, is: 6)
        },
        Case(.redirects, "a page that leads back to itself until it is ready is followed without a cookie") { stage in
            let server = try stage.server { _ in .text("ready") }
            server.enqueue(.redirect(to: "/job"), .redirect(to: "/job"))
            try expect("the body", try stage.send(.get(server.url("/job"))).text(), is: "ready")
            try expect("the targets", server.requests.map(\.target), is: ["/job", "/job", "/job"])
        },
        Case(.redirects, "ten redirects are followed and no more") { stage in
            let server = try stage.server { .redirect(to: $0.path + "x") }
            try expect("the reason", try redirectFailure(stage, server.url("/x")), is: .tooMany(limit: 10))
            try expect("the number of requests", server.requestCount, is: 11)
        },
        Case(.redirects, "a Location with another scheme is refused") { stage in
            let server = try stage.server { _ in .redirect(to: "ftp://example.com/") }
            let reason = try redirectFailure(stage, server.url("/"))
            guard case .badLocation = reason else { throw ContractViolation("a bad Location", "\(reason)") }
            try expect("the number of requests", server.requestCount, is: 1)
        },
    ]

    /// A request with credentials and custom fields.
    private static func secretive(_ url: String) -> MutableRequest {
        .get(url) |> .bearer("secret") |> .header("Cookie", "a=b") |> .header("X-Api-Key", "k")
            |> .header("X-Trace", "7") |> .accept("text/plain")
    }

    private static func redirectFailure(_ stage: ContractStage, _ url: String) throws -> RedirectFailure.Reason {
        let error = try stage.failure(of: .get(url))
        guard case .redirect(let failure) = error else { throw ContractViolation("a redirect failure", "\(error)") }
        return failure.reason
    }
}
