import Foundation
import HTTPCore
import HTTPTesting
import Testing

enum ExchangeContract {
    static let cases: [ContractCase] = [
        ContractCase("a GET sends its target and headers and brings back status, headers and body") { client in
            let server = try MockServer { _ in .text("hello").header("X-Answer", "42") }
            let response = try client.send(.get(server.url("/a/b?c=d%20e")) |> .header("X-One", "1"))
            #expect(response.status == .ok)
            #expect(try response.text() == "hello")
            #expect(response.headers["x-answer"] == "42")
            let request = try #require(server.requests.first)
            #expect(request.method == .get)
            #expect(request.target == "/a/b?c=d%20e")
            #expect(request.headers.values(for: "X-One") == ["1"])
            #expect(request.headers.values(for: "User-Agent") == ["straightline/0.1"])
            #expect(!request.headers.contains("Accept-Language") && !request.headers.contains("Cookie"))
            #expect(request.body.isEmpty)
        },
        ContractCase("a HEAD has no body, and its Content-Length misleads nobody") { client in
            let server = try MockServer { _ in .text("hello") }
            let response = try client.send(.head(server.url("/")))
            #expect(response.status == .ok && response.body.isEmpty)
            #expect(response.headers["Content-Length"] == "5")
        },
        ContractCase("a body in memory arrives as it was given, with its length and type") { client in
            for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"] {
                let server = try MockServer { _ in .text("ok") }
                _ = try client.send(.method(HTTPMethod(method), server.url("/")) |> .json(["a": 1]))
                let request = try #require(server.requests.first)
                #expect(request.method.rawValue == method)
                #expect(request.text == #"{"a":1}"#)
                #expect(request.headers.values(for: "Content-Type") == ["application/json"])
                #expect(request.headers.values(for: "Content-Length") == ["7"])
                #expect(!request.headers.contains("Expect"))
            }
        },
        ContractCase("a body without a type gets none, and an empty header stays empty") { client in
            let server = try MockServer { _ in .text("ok") }
            var draft = MutableRequest.post(server.url("/")) |> .header("X-Empty", "")
            draft.body = .data(Data("x".utf8))
            _ = try client.send(draft)
            let request = try #require(server.requests.first)
            #expect(!request.headers.contains("Content-Type"))
            #expect(request.headers.values(for: "X-Empty") == [""])
        },
        ContractCase("a POST without a body says that it is empty") { client in
            let server = try MockServer { _ in .text("ok") }
            _ = try client.send(.post(server.url("/")))
            #expect(try #require(server.requests.first).headers.values(for: "Content-Length") == ["0"])
        },
        ContractCase("the kept connection serves the next GET") { client in
            let server = try MockServer { _ in .text("ok") }
            for _ in 1...3 { _ = try client.send(.get(server.url("/"))) }
            #expect(server.requests.map(\.connection) == [1, 1, 1])
        },
        ContractCase("interim responses are passed over") { client in
            let server = try MockServer { _ in
                MockResponse.text("final").preceded(by: .init(103, headers: ["Link": "</a>"]))
            }
            let response = try client.send(.get(server.url("/")))
            #expect(response.status == .ok)
            #expect(try response.text() == "final")
        },
        ContractCase("a refusal with a challenge is a response with its body") { client in
            let server = try MockServer { _ in
                MockResponse.text("who are you?", status: .unauthorized)
                    .header("WWW-Authenticate", "Basic realm=\"x\"")
            }
            let response = try client.send(.get(server.url("/")))
            #expect(response.status == .unauthorized)
            #expect(try response.text() == "who are you?")
            #expect(server.requestCount == 1)
        },
        ContractCase("fields of one name keep their values, and cookies their number") { client in
            let server = try MockServer { _ in
                MockResponse.text("ok").header("Set-Cookie", "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/")
                    .header("Set-Cookie", "b=2").header("X-List", "one").header("X-List", "two")
            }
            let headers = try client.send(.get(server.url("/"))).headers
            #expect(
                headers.values(for: "Set-Cookie") == ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/", "b=2"])
            #expect(headers.combinedValue(for: "X-List") == "one, two")
        },
        ContractCase("many calls at once get each its own answer") { client in
            let server = try MockServer { request in .text(request.target) }
            let results = Locks()
            let threads = (0..<32).map { index in
                TestThread {
                    let result = Result { try client.send(.get(server.url("/\(index)"))).text() }
                    results.add((try? result.get()) == "/\(index)")
                }
            }
            for thread in threads { thread.join() }
            #expect(results.values.count == 32 && !results.values.contains(false))
        },
    ]
}
