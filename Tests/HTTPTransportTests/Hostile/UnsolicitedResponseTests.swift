import HTTPAsync
import HTTPCore
import Testing

import HTTPMockServer

/// Bytes that a server sends unasked are not a response.
@Suite(.timeLimit(.minutes(5))) struct UnsolicitedResponseTests {
    private static func response(_ body: String, _ status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// The unsolicited bytes after a first response.
    enum Surplus: CaseIterable {
        case secondResponse, requestTimeout, sameBytes, afterHead, afterChunks

        /// The bytes sent with the first response, and those sent a moment later.
        fileprivate var parts: (String, String) {
            let first = UnsolicitedResponseTests.response("first")
            let planted = UnsolicitedResponseTests.response("planted")
            return switch self {
            case .secondResponse: (first, planted)
            case .requestTimeout: (first, UnsolicitedResponseTests.response("too slow", "408 Request Timeout"))
            case .sameBytes: (first + planted, "")
            // Of a record of TLS that begins with the body libcurl reads no more than that: OpenSSL keeps the rest.
            case .afterHead: (String(first.dropLast(5)), "first" + planted)
            // libcurl drops bytes that arrive in one piece with the last chunk, and would use the connection again.
            case .afterChunks:
                ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n" + planted, "")
            }
        }
    }

    /// Answers its first request with "first" and a surplus, and all others with "second". Signals when the surplus is
    /// sent.
    private func server(_ surplus: Surplus, tls: Bool, _ isSent: WakeSignal) throws -> RawServer {
        try RawServer(tls: tls) { connection, number in
            var isFirst = number == 1
            while connection.readHead() != nil {
                let (answer, more) = isFirst ? surplus.parts : (Self.response("second"), "")
                _ = connection.write(answer)
                _ = connection.write(more)
                isFirst = false
                isSent.fire()
            }
        }
    }

    @Test(arguments: Surplus.allCases, [false, true])
    func `it does not answer a blocking call, nor is a POST sent on that connection`(
        surplus: Surplus, tls: Bool
    ) throws {
        let isSent = try WakeSignal()
        let server = try server(surplus, tls: tls, isSent)
        let client = try server.transport()
        #expect(try client.send(.get(server.url())).text() == "first")
        _ = isSent.wait(timeout: .seconds(10))
        let second = try client.send(.post(server.url()) |> .text("money") |> .timeout(.seconds(9)))
        #expect(try second.text() == "second")
        #expect(second.metrics.attemptCount == 1)
        #expect(!second.metrics.isConnectionReused)
        #expect(server.connectionCount == 2)
        // The new connection is reused.
        #expect(try client.send(.get(server.url())).metrics.isConnectionReused)
    }

    @Test(arguments: Surplus.allCases, [false, true])
    func `it does not answer a batch`(surplus: Surplus, tls: Bool) throws {
        let isSent = try WakeSignal()
        let server = try server(surplus, tls: tls, isSent)
        let client = try server.transport()
        let first = client.executeRequests([.get(server.url())])
        #expect(try first[0].get().text() == "first")
        _ = isSent.wait(timeout: .seconds(10))
        let second = client.executeRequests([.post(server.url()) |> .text("money") |> .timeout(.seconds(9))])
        #expect(try second[0].get().text() == "second")
        #expect(server.connectionCount == 2)
    }

    @Test(arguments: Surplus.allCases, [false, true])
    func `it does not answer an awaited call`(surplus: Surplus, tls: Bool) async throws {
        let isSent = try WakeSignal()
        let server = try server(surplus, tls: tls, isSent)
        let client = try server.transport()
        #expect(try await client.send(.get(server.url())).text() == "first")
        _ = isSent.wait(timeout: .seconds(10))
        let second = try await client.send(.post(server.url()) |> .text("money") |> .timeout(.seconds(9)))
        #expect(try second.text() == "second")
        #expect(server.connectionCount == 2)
    }

    private static let withoutBody: [(HTTPMethod, String)] = [
        (.head, "200 OK\r\nContent-Length: 5"), (.get, "204 No Content"), (.get, "304 Not Modified"),
        (.get, "200 OK\r\nContent-Length: 0"),
    ]

    /// libcurl drops what arrives in one piece with such a head; the rest of it could come later.
    @Test(arguments: withoutBody, [Way.blocking, .batch, .awaited])
    func `bytes behind a response without a body end its connection`(
        answer: (HTTPMethod, String), way: Way
    ) async throws {
        let server = try RawServer(tls: false) { connection, number in
            while connection.readHead() != nil {
                let first = "HTTP/1.1 \(answer.1)\r\n\r\n" + Self.response("planted")
                _ = connection.write(number == 1 ? first : Self.response("second"))
            }
        }
        let client = try server.transport()
        let first = try await way.send(MutableRequest(answer.0, server.url()), client)
        #expect(first.body.isEmpty && server.connectionCount == 1)
        let second = try await way.send(.get(server.url()) |> .timeout(.seconds(9)), client)
        #expect(try second.text() == "second")
        #expect(second.metrics.attemptCount == 1 && !second.metrics.isConnectionReused && server.connectionCount == 2)
    }

    /// How a call is made whose body may block its thread.
    enum Way: CaseIterable, Sendable {
        case blocking, batch, awaited, upload

        fileprivate func send(_ draft: MutableRequest, _ client: any HTTPClient) async throws -> Response {
            switch self {
            case .blocking: try await Dispatcher.shared.run { client.executeRequest(draft) }
            case .batch: try await Dispatcher.shared.run { client.executeRequests([draft]) }[0].get()
            case .awaited: try await client.send(draft)
            case .upload: try await client.upload(draft, from: UnsolicitedResponseTests.money(), length: 5)
            }
        }
    }

    private static func money() -> AsyncStream<[UInt8]> {
        AsyncStream { elements in
            for part in ["mon", "ey"] { elements.yield(Array(part.utf8)) }
            elements.finish()
        }
    }

    @Test(arguments: Way.allCases)
    func `a POST whose body can be read only once is sent on another connection, too`(way: Way) async throws {
        let isSent = try WakeSignal()
        let server = try RawServer(tls: false) { connection, number in
            guard connection.readHead() != nil, connection.read(5).count == 5 else { return }
            _ = connection.write(Self.response("answer \(number)"))
            guard number == 1 else { return }
            // Together with the response, libcurl would close the connection because of it.
            connection.pause(.milliseconds(100))
            _ = connection.write(Self.response("too slow", "408 Request Timeout"))
            isSent.fire()
            _ = connection.readHead()
        }
        let client = try server.transport()
        for number in 1...2 {
            let draft = MutableRequest.post(server.url()) |> .timeout(.seconds(9))
            let response = try await way.send(draft |> .body(.stream(of: Self.money(), length: 5)), client)
            #expect(try response.text() == "answer \(number)")
            #expect(response.metrics.attemptCount == 1 && server.connectionCount == number)
            _ = isSent.wait(timeout: .seconds(10))
        }
    }
}

extension ConnectionStream {
    /// The next bytes, fewer if the client leaves.
    fileprivate func read(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < count, withUnsafeMutableBytes(of: &byte, read) == 1 { bytes.append(byte) }
        return bytes
    }
}
