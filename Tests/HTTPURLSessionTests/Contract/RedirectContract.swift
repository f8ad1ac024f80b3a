import Foundation
import HTTPCore
import HTTPTesting
import Testing

enum RedirectContract {
    static let cases: [ContractCase] = [
        ContractCase("a relative redirect is resolved against the place it comes from") { client in
            let server = try MockServer { request in
                request.path == "/a/end" ? .text("there") : .redirect(to: "end?x=1#part", status: .movedPermanently)
            }
            let response = try client.send(.get(server.url("/a/b/../start")) |> .header("X-Own", "kept"))
            #expect(response.status == .ok)
            #expect(server.requests.last?.target == "/a/end?x=1")
            #expect(server.requests.allSatisfy { $0.headers["X-Own"] == "kept" })
            #expect(response.redirects.map(\.location.string) == [server.url("/a/end?x=1")])
            #expect(response.metrics.attempts == 2)
        },
        ContractCase("another origin gets nothing that says who is asking") { client in
            let other = try MockServer { _ in .text("other") }
            let server = try MockServer { _ in .redirect(to: other.url("/")) }
            let request =
                MutableRequest.get(server.url("/")) |> .bearer("secret") |> .header("Cookie", "a=b")
                |> .header("X-Api-Key", "k") |> .header("X-Trace", "7") |> .accept("text/plain")
                |> .redirects(RedirectPolicy(crossOriginHeaders: ["x-trace"]))
            _ = try client.send(request)
            let first = try #require(server.requests.first)
            #expect(first.headers["Authorization"] == "Bearer secret")
            #expect(first.headers["Cookie"] == "a=b" && first.headers["X-Api-Key"] == "k")
            let names = Set(try #require(other.requests.first).headers.map { $0.name.lowercased() })
            #expect(names.isDisjoint(with: ["authorization", "cookie", "x-api-key"]))
            #expect(names.isSuperset(of: ["x-trace", "accept"]))
        },
        ContractCase("307 repeats the method and the body, 303 does not") { client in
            for (status, method, text) in [(HTTPStatus.temporaryRedirect, "POST", "[1]"), (.seeOther, "GET", "")] {
                let server = try MockServer { request in
                    request.path == "/end" ? .text("ok") : .redirect(to: "/end", status: status)
                }
                _ = try client.send(.post(server.url("/")) |> .json([1]))
                let last = try #require(server.requests.last)
                #expect(last.method.rawValue == method)
                #expect(last.text == text)
                #expect(last.headers.contains("Content-Type") == (method == "POST"))
            }
        },
        ContractCase("without redirects the response itself comes back, body and all") { client in
            let server = try MockServer { _ in
                MockResponse.text("moved", status: .found).header("Location", "/elsewhere")
            }
            let response = try client.send(.get(server.url("/")) |> .redirects(.never))
            #expect(response.status == .found)
            #expect(try response.text() == "moved")
            #expect(server.requestCount == 1)
        },
        ContractCase("a circle and a Location to nowhere are redirect failures") { client in
            let server = try MockServer { request in
                switch request.path {
                case "/circle": .redirect(to: "/circle2")
                case "/circle2": .redirect(to: "/circle")
                default: .redirect(to: "ftp://example.com/")
                }
            }
            guard case .redirect(let circle) = try client.executeRequest(.get(server.url("/circle"))).error(),
                case .redirect(let nowhere) = try client.executeRequest(.get(server.url("/ftp"))).error()
            else { throw Unexpected("another failure") }
            #expect(circle.reason == .cycle)
            if case .badLocation = nowhere.reason {} else { Issue.record("\(nowhere)") }
            #expect(server.requestCount == 3)
        },
        ContractCase("cookies of a redirect come along, and one for all of .com is refused") { client in
            let jar = CookieJar()
            let server = try MockServer { request in
                request.path == "/end"
                    ? .text("ok")
                    : MockResponse.redirect(to: "/end").header("Set-Cookie", "own=1; Path=/")
                        .header("Set-Cookie", "wide=1; Domain=.com; Path=/").header("Set-Cookie", "other=2; Path=/")
            }
            _ = try client.send(.get(server.url("/")) |> .cookies(jar))
            #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "own=1; other=2"])
            // Without a jar nothing is kept.
            _ = try client.send(.get(server.url("/")))
            #expect(server.requests.suffix(2).allSatisfy { !$0.headers.contains("Cookie") })
        },
    ]

    static let placelessCases: [ContractCase] = [
        ContractCase("a redirect that names no place is delivered with its body") { client in
            let server = try MockServer { _ in .text("nowhere", status: .found) }
            let response = try client.send(.get(server.url("/")))
            #expect(response.status == .found)
            #expect(try response.text() == "nowhere")
        }
    ]
}
