import HTTPCore
import HTTPTesting
import Testing

enum FaultContract {
    /// What `fault` makes of a GET that expects a body of 1,000 bytes.
    private static func failure(
        _ client: any HTTPClient, _ fault: MockFault, _ framing: MockResponse.Framing = .contentLength
    ) throws -> HTTPError {
        let server = try MockServer { _ in
            MockResponse.bytes(Array(repeating: 0x61, count: 1000)).framed(framing).failing(fault)
        }
        let result = client.executeRequest(.get(server.url("/")) |> .timeout(.seconds(20)))
        #expect(server.requestCount == 1)
        return try result.error()
    }

    static let cases: [ContractCase] = [
        ContractCase("a connection that ends before the head is a connection failure") { client in
            for fault in [MockFault.close(.beforeHead), .reset(.beforeHead)] {
                let error = try failure(client, fault)
                guard case .connection(let failure) = error else { throw error }
                #expect(failure.reason == .closedBeforeResponse && failure.mayHaveBeenProcessed)
            }
        },
        ContractCase("a body that stops short of its Content-Length says how much is missing") { client in
            let error = try failure(client, .close(.midBody(after: 300)))
            guard case .truncatedBody(let failure) = error else { throw error }
            #expect(failure.reason == .contentLength(expected: 1000) && failure.received == 300)
        },
        ContractCase("a chunked body without its last chunk is truncated") { client in
            let error = try failure(client, .close(.midBody(after: 300)), .chunked(sizes: [100]))
            guard case .truncatedBody(let failure) = error else { throw error }
            #expect(failure.reason == .chunked)
        },
        ContractCase("a reset in the middle of the body is a broken connection") { client in
            let error = try failure(client, .reset(.midBody(after: 300)))
            guard case .connection(let failure) = error else { throw error }
            #expect(failure.reason == .broken && failure.record.phase == .receiving)
        },
        ContractCase("bytes that are no HTTP are a protocol violation") { client in
            let error = try failure(client, .garbage)
            guard case .protocolViolation = error else { throw error }
        },
        ContractCase("a port on which nothing listens refuses") { client in
            let port = try MockServer.unusedPort()
            let error = try client.executeRequest(.get("http://127.0.0.1:\(port)/")).error()
            guard case .connection(let failure) = error else { throw error }
            #expect(failure.reason == .refused && !failure.mayHaveBeenProcessed)
        },
        ContractCase("a head or body that can be read two ways is a protocol violation") { client in
            for answer in [
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
                "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Encoding: unheard-of\r\nContent-Length: 5\r\n\r\nhello",
            ] {
                let server = try MockServer { _ in .raw(answer) }
                let error = try client.executeRequest(.get(server.url("/")) |> .idleTimeout(.seconds(2))).error()
                guard case .protocolViolation = error else { throw error }
            }
        },
        ContractCase("an answer that ends with the connection is whole") { client in
            let server = try MockServer { _ in MockResponse.text("all of it").framed(.untilClose) }
            #expect(try client.send(.get(server.url("/"))).text() == "all of it")
        },
        ContractCase("a status that has no body has none, whatever its head announces") { client in
            for status in [HTTPStatus.noContent, .notModified] {
                let server = try MockServer { _ in
                    MockResponse(status: status, headers: ["Content-Encoding": "gzip"])
                }
                let response = try client.send(.get(server.url("/")))
                #expect(response.status == status && response.body.isEmpty)
            }
        },
    ]

    /// What ends the process where a head that is not whole, or fields behind the body, run into a trap.
    static let trappingCases: [ContractCase] = [
        ContractCase("trailer fields behind a chunked body are kept apart") { client in
            let server = try MockServer { _ in
                MockResponse.text("body").framed(.chunked(sizes: [2])).trailer("X-Sum", "42")
            }
            let response = try client.send(.get(server.url("/")))
            #expect(try response.text() == "body")
            #expect(response.trailers == ["X-Sum": "42"])
        },
        ContractCase("a connection that ends within the head is a connection failure") { client in
            for fault in [MockFault.close(.midHead), .reset(.midHead)] {
                let error = try failure(client, fault)
                guard case .connection(let failure) = error else { throw error }
                #expect(failure.reason == .closedBeforeResponse && failure.mayHaveBeenProcessed)
            }
        },
    ]

    /// What is visible only in the bytes of the head.
    static let strictCases: [ContractCase] = [
        ContractCase("a protocol name in small letters and a control character in a value are refused") { client in
            for answer in [
                "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nX: a\u{1}b\r\nContent-Length: 0\r\n\r\n",
            ] {
                let server = try MockServer { _ in .raw(answer) }
                let error = try client.executeRequest(.get(server.url("/")) |> .idleTimeout(.seconds(2))).error()
                guard case .protocolViolation = error else { throw error }
            }
        }
    ]
}
