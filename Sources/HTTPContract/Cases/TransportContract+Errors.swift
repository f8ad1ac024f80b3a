import HTTPMockServer
import HTTPCore

extension TransportContract {
    static let errorCases: [Case] = [
        Case(.errors, "a connection that ends before the head is a connection failure") { stage in
            for fault in [MockFault.close(.beforeHead), .reset(.beforeHead)] {
                let failure = try connectionFailure(try failure(stage, fault))
                try expect("the reason", failure.reason, is: .closedBeforeResponse)
                try expect("a warning that it may have been processed", failure.mayHaveBeenProcessed, got: failure)
            }
        },
        Case(.errors, "a connection that ends within the head is a connection failure") { stage in
            for fault in [MockFault.close(.midHead), .reset(.midHead)] {
                let failure = try connectionFailure(try failure(stage, fault))
                try expect("the reason", failure.reason, is: .closedBeforeResponse)
                try expect("a warning that it may have been processed", failure.mayHaveBeenProcessed, got: failure)
            }
        },
        Case(.errors, "a body that stops short of its Content-Length says how much is missing") { stage in
            let failure = try truncation(try failure(stage, .close(.midBody(after: 300))))
            try expect("the reason", failure.reason, is: .contentLength(expected: 1000))
            try expect("how much was received", failure.received, is: 300)
        },
        Case(.errors, "a chunked body without its last chunk is truncated") { stage in
            let failure = try truncation(
                try failure(stage, .close(.midBody(after: 300)), .chunked(sizes: [100])))
            try expect("the reason", failure.reason, is: .chunked)
        },
        Case(.errors, "a reset in the middle of the body is a broken connection") { stage in
            let failure = try connectionFailure(try failure(stage, .reset(.midBody(after: 300))))
            try expect("the reason", failure.reason, is: .broken)
            try expect("the phase", failure.record.phase, is: .receiving)
        },
        Case(.errors, "bytes that are no HTTP are a protocol violation") { stage in
            let error = try failure(stage, .garbage)
            guard case .protocolViolation = error else { throw ContractViolation("a protocol violation", "\(error)") }
        },
        Case(.errors, "a port on which nothing listens refuses") { stage in
            let port = try MockServer.unusedPort()
            let failure = try connectionFailure(try stage.failure(of: .get("http://127.0.0.1:\(port)/")))
            try expect("the reason", failure.reason, is: .refused)
            try expect("may have been processed", failure.mayHaveBeenProcessed, is: false)
        },
        Case(.errors, "a server that breaks off the TLS handshake is a TLS failure, and gets no request") { stage in
            let server = try stage.server { _ in .text("in the clear") }
            // Only the first: what an engine sends on another connection arrives.
            server.enqueueConnection(.close)
            let error = try stage.failure(of: .get("https://127.0.0.1:\(server.port)/") |> .bearer("secret"))
            guard case .tls(let failure) = error else { throw ContractViolation("a TLS failure", "\(error)") }
            try expect("the reason", failure.reason, is: .handshake)
            try expect("the number of requests", server.requestCount, is: 0)
        },
        Case(.errors, "a certificate that nobody vouches for is refused, and the server gets no request") { stage in
            let server = try stage.server(security: .tls()) { _ in .text("ok") }
            let error = try stage.failure(of: .get(server.url("/")) |> .bearer("secret"))
            guard case .tls = error else { throw ContractViolation("a TLS failure", "\(error)") }
            try expect("the number of requests", server.requestCount, is: 0)
        },
        Case(.errors, "a refusal is a response, not an error") { stage in
            for status in [HTTPStatus.badRequest, .notFound, .internalServerError] {
                let server = try stage.server { _ in .text("no", status: status) }
                let response = try stage.send(.get(server.url("/")))
                try expect("the status", response.status, is: status)
                try expect("the body", try response.text(), is: "no")
            }
        },
    ]

    /// The result of a GET for 1,000 bytes with `fault`.
    private static func failure(
        _ stage: ContractStage, _ fault: MockFault, _ framing: MockResponse.Framing = .contentLength
    ) throws -> HTTPError {
        let server = try stage.server { _ in
            MockResponse.data(MarkedContent.bytes(1000)).framed(framing).failing(fault)
        }
        let error = try stage.failure(of: .get(server.url("/")) |> .timeout(.seconds(20)))
        try expect("the number of requests", server.requestCount, is: 1)
        return error
    }

    static func connectionFailure(_ error: HTTPError) throws(ContractViolation) -> ConnectionFailure {
        guard case .connection(let failure) = error else { throw ContractViolation("a connection failure", "\(error)") }
        return failure
    }

    static func truncation(_ error: HTTPError) throws(ContractViolation) -> TruncatedBody {
        guard case .truncatedBody(let failure) = error else { throw ContractViolation("a truncated body", "\(error)") }
        return failure
    }
}
