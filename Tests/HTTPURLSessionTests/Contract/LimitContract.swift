import HTTPCore
import HTTPTesting
import Testing

enum LimitContract {
    static let cases: [ContractCase] = [
        ContractCase("a body up to the limit is taken and one byte more is refused") { client in
            for framing in [MockResponse.Framing.contentLength, .chunked(), .untilClose] {
                let server = try MockServer { _ in MockResponse.bytes(Array(repeating: 1, count: 1000)).framed(framing)
                }
                #expect(try client.send(.get(server.url("/")) |> .bodyLimit(1000)).body.count == 1000)
                let error = try client.executeRequest(.get(server.url("/")) |> .bodyLimit(999)).error()
                guard case .limitExceeded(let failure) = error else { throw error }
                #expect(failure.limit == .body && failure.bytes == 999)
            }
        },
        ContractCase("a head up to the limit is taken and a larger one is refused") { client in
            let server = try MockServer { _ in
                (0..<1000).reduce(MockResponse.text("x")) { $0.header("X-\($1)", String(repeating: "a", count: 80)) }
            }
            let error = try client.executeRequest(.get(server.url("/"))).error()
            guard case .limitExceeded(let failure) = error else { throw error }
            #expect(failure.limit == .header)
            #expect(try client.send(.get(server.url("/")) |> .headerLimit(100_000)).headers["X-999"]?.count == 80)
        },
        ContractCase("a connection whose response was refused is not used again") { client in
            let answer = MockResponse.bytes(Array(repeating: 1, count: 5_000_000))
            let server = try MockServer { request in
                request.index == 0 && request.connection == 1 ? answer.failing(.stall(.midBody(after: 9000))) : answer
            }
            _ = client.executeRequest(.get(server.url("/")) |> .bodyLimit(10))
            _ = try client.send(.get(server.url("/")))
            #expect(server.requests.map(\.connection) == [1, 2])
        },
        ContractCase("a limit of expansion holds, whatever the server codes") { client in
            let server = try MockServer { request in
                request.headers["Accept-Encoding"] == "identity"
                    ? .text("plain") : MockResponse.bytes(CodedText.gzip).header("Content-Encoding", "gzip")
            }
            #expect(try !client.send(.get(server.url("/")) |> .expansionLimit(100)).body.isEmpty)
            server.handler = { _ in MockResponse.bytes(CodedText.bomb).header("Content-Encoding", "gzip") }
            let error = try client.executeRequest(.get(server.url("/")) |> .expansionLimit(100)).error()
            switch error {
            case .limitExceeded(let failure): #expect(failure.limit == .expansion)
            case .protocolViolation(let violation): #expect(violation.reason.contains("was not asked for"))
            default: throw error
            }
        },
        ContractCase("a coded body counts decoded against its limit") { client in
            let server = try MockServer { _ in
                MockResponse.bytes(CodedText.bomb).header("Content-Encoding", "gzip")
            }
            let error = try client.executeRequest(.get(server.url("/")) |> .bodyLimit(100_000)).error()
            guard case .limitExceeded(let failure) = error else { throw error }
            #expect(failure.limit == .body && failure.bytes == 100_000)
        },
        ContractCase("a gzip body arrives as what it was before it was coded") { client in
            let server = try MockServer { _ in
                MockResponse.bytes(CodedText.gzip).header("Content-Encoding", "gzip")
            }
            #expect(try client.send(.get(server.url("/"))).text() == CodedText.text)
            #expect(server.requests.first?.headers["Accept-Encoding"]?.contains("gzip") == true)
        },
    ]

    static let codingCases: [ContractCase] = [
        ContractCase("a gzip body that stops early is truncated") { client in
            let server = try MockServer { _ in
                MockResponse.bytes(Array(CodedText.gzip.dropLast(12))).header("Content-Encoding", "gzip")
            }
            let error = try client.executeRequest(.get(server.url("/"))).error()
            guard case .truncatedBody(let failure) = error else { throw error }
            #expect(failure.reason == .contentCoding("gzip"))
        }
    ]
}
