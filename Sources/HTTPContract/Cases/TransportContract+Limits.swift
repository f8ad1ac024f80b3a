import HTTPMockServer
import HTTPCore

extension TransportContract {
    static let limitCases: [Case] = [
        Case(.limits, "a body up to the limit is taken and one byte more is refused") { stage in
            for framing in [MockResponse.Framing.contentLength, .chunked(), .untilClose] {
                let server = try stage.server { _ in MockResponse.data(MarkedContent.bytes(1000)).framed(framing) }
                let response = try stage.send(.get(server.url("/")) |> .bodyLimit(1000))
                try expect("the body's size", response.body.count, is: 1000)
                try expectLimit(.body, 999, try stage.failure(of: .get(server.url("/")) |> .bodyLimit(999)))
            }
        },
        Case(.limits, "a head up to the limit is taken and a larger one is refused") { stage in
            let server = try stage.server { _ in
                (0..<1000).reduce(MockResponse.text("x")) { $0.header("X-\($1)", String(repeating: "a", count: 80)) }
            }
            try expectLimit(.header, 64 << 10, try stage.failure(of: .get(server.url("/"))))
            let headers = try stage.send(.get(server.url("/")) |> .headerLimit(100_000)).headers
            try expect("the last field's size", headers["X-999"]?.count, is: 80)
        },
        Case(.limits, "a head that is too large is refused before it ends") { stage in
            let server = try stage.server { _ in
                .raw("HTTP/1.1 200 OK\r\n" + String(repeating: "X-Field: 0123456789\r\n", count: 3500))
                    .failing(.stall(.afterBody))
            }
            let draft = MutableRequest.get(server.url("/")) |> .idleTimeout(.seconds(5))
            try expectLimit(.header, 64 << 10, try stage.failure(of: draft))
        },
        Case(.limits, "a connection whose response was refused is not used again") { stage in
            let answer = MockResponse.data([UInt8](repeating: 1, count: 5_000_000))
            // Without a length, the bytes decide: an engine that reads all of them first waits for ever.
            for framing in [MockResponse.Framing.contentLength, .chunked()] {
                let server = try stage.server { request in
                    let isFirst = request.index == 0 && request.connection == 1
                    return isFirst ? answer.framed(framing).failing(.stall(.midBody(after: 9000))) : answer
                }
                let draft = MutableRequest.get(server.url("/")) |> .idleTimeout(.seconds(5))
                try expectLimit(.body, 10, try stage.failure(of: draft |> .bodyLimit(10)))
                try expect("the body's size", try stage.send(draft).body.count, is: 5_000_000)
                try expect("the connections", server.requests.map(\.connection), is: [1, 2])
            }
        },
        Case(.limits, "a limit of expansion holds, whatever the server codes") { stage in
            let server = try stage.server { request in
                request.headers["Accept-Encoding"] == "identity"
                    ? .text("plain") : MockResponse.data(CodedText.gzip).header("Content-Encoding", "gzip")
            }
            let size = try stage.send(.get(server.url("/")) |> .expansionLimit(100)).body.count
            try expect("a body", size > 0, got: size)
            server.handler = { _ in MockResponse.data(CodedText.bomb).header("Content-Encoding", "gzip") }
            let error = try stage.failure(of: .get(server.url("/")) |> .expansionLimit(100))
            switch error {
            case .limitExceeded(let failure): try expect("the limit", failure.limit, is: .expansion)
            // An engine that cannot see the coded size requests no coding, and refuses one.
            case .protocolViolation(let violation):
                try expect("a coding that was not asked for", violation.reason.contains("not asked"), got: error)
            case .invalidRequest, .unsupported, .cancelled, .timedOut, .resolution, .destinationRefused, .connection,
                .tls, .truncatedBody, .body, .interceptor, .redirect, .unacceptableStatus, .decoding, .other:
                throw ContractViolation("a limit or a refused coding", "\(error)")
            }
        },
        Case(.limits, "a coded body counts decoded against its limit") { stage in
            let server = try stage.server { _ in MockResponse.data(CodedText.bomb).header("Content-Encoding", "gzip") }
            try expectLimit(.body, 100_000, try stage.failure(of: .get(server.url("/")) |> .bodyLimit(100_000)))
        },
        Case(.limits, "a gzip body arrives as what it was before it was coded") { stage in
            let server = try stage.server { _ in MockResponse.data(CodedText.gzip).header("Content-Encoding", "gzip") }
            try expect("the body", try stage.send(.get(server.url("/"))).text(), is: CodedText.text)
            let accepted = try stage.request(at: server).headers["Accept-Encoding"]
            try expect("gzip among what is accepted", accepted?.contains("gzip") == true, got: accepted as Any)
        },
        Case(.limits, "a gzip body that stops early is truncated") { stage in
            let server = try stage.server { _ in
                MockResponse.data(Array(CodedText.gzip.dropLast(12))).header("Content-Encoding", "gzip")
            }
            let failure = try truncation(try stage.failure(of: .get(server.url("/"))))
            try expect("the reason", failure.reason, is: .contentCoding("gzip"))
        },
    ]

    private static func expectLimit(
        _ limit: LimitExceeded.Limit, _ bytes: Int, _ error: HTTPError
    ) throws(ContractViolation) {
        guard case .limitExceeded(let failure) = error else { throw ContractViolation("a limit exceeded", "\(error)") }
        try expect("the limit", failure.limit, is: limit)
        try expect("its bytes", failure.value, is: bytes)
    }
}
