import HTTPCore
import HTTPCurl
import TestSupport
import Testing

import HTTPMockServer

/// Requests with heads around the limit of nghttp2, which drops larger ones.
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(5))) struct HTTP2HeadTests {
    @Test(arguments: [HTTPVersion.http2, .http1_1], EntryStyle.allCases)
    func `a head of more than 64 KiB is refused where HTTP/2 was agreed on, before it is sent`(
        version: HTTPVersion, style: EntryStyle
    ) async throws {
        let server = try MockServer(security: .tls(), versions: [version]) { _ in .text("hello") }
        let client = try CurlTransport.trusting(server)
        // On a new connection, on a kept one, and with a long target.
        let long = "/" + String(repeating: "b", count: 70_000)
        for (count, target) in [(17, "/"), (1, "/"), (16, "/"), (17, "/"), (0, long), (1, "/")] {
            var draft = MutableRequest.get(server.url(target)) |> .timeout(.seconds(20))
            for index in 0..<count { draft = draft |> .header("X-\(index)", String(repeating: "a", count: 4000)) }
            let result = await style.results(of: [try Request(draft)], over: client, atOnce: 1)[0]
            if version == .http2, count == 17 || count == 0 {
                guard case .failure(.unsupported(let problem)) = result else { throw Unexpected(result) }
                let text = "\(problem)"
                #expect(text.contains("64 KiB at most") && text.contains(".version(.http1)"), "\(text)")
            } else {
                let response = try result.get()
                #expect(response.status == 200 && response.version == version)
            }
        }
        #expect(server.requestCount == (version == .http2 ? 3 : 6))
        // A refusal does not cost a kept connection. A new one, to which only TLS tickets came yet, libcurl may take for dead.
        if style == .blocking { #expect(Set(server.requests.map(\.connection)).count == 1) }
    }

    /// A server whose responses have about that many bytes of fields, and the body `ok`.
    private func server(fields bytes: Int) throws -> RawServer {
        let value = String(repeating: "a", count: 990)
        let fields = (0..<bytes / 1000).flatMap { HTTP2Frame.field("x-\(100 + $0)", value) }
        let block = HTTP2Frame.field(":status", "200") + fields
        let pieces = stride(from: 0, to: block.count, by: 16_384).map { block[$0..<min($0 + 16_384, block.count)] }
        return try RawServer(tls: true, version: .http2) { stream, _ in
            let connection = FaultConnection(stream, isHTTP2: true, progress: FaultProgress())
            while connection.readRequest() {
                // HEADERS, and CONTINUATION up to END_HEADERS.
                let head = pieces.enumerated().flatMap { place, piece in
                    HTTP2Frame.frame(
                        place == 0 ? HTTP2Frame.headersType : 9, flags: place == pieces.count - 1 ? 4 : 0,
                        on: connection.streamID, Array(piece))
                }
                connection.write(
                    head + HTTP2Frame.data(Array("ok".utf8), endsStream: true, on: connection.streamID))
            }
        }
    }

    /// libcurl before 8.1 keeps what does not fit into its buffer.
    @Test(arguments: [20_000, 66_000, 100_000, 125_000], EntryStyle.allCases)
    func `a head of a response up to 128 KiB is delivered where the limit allows it`(
        bytes: Int, style: EntryStyle
    ) async throws {
        let server = try server(fields: bytes)
        let client = try server.transport()
        for limit in [1 << 20, 64 << 10, 1 << 20] {
            let request = try Request(.get(server.url()) |> .headerLimit(limit) |> .timeout(.seconds(9)))
            let result = await style.results(of: [request], over: client, atOnce: 1)[0]
            if bytes <= limit {
                #expect(try result.get().text() == "ok" && result.get().headers.count == bytes / 1000)
            } else {
                guard case .failure(.limitExceeded(let failure)) = result else { throw Unexpected(result) }
                #expect(failure.limit == .header && failure.value == limit)
            }
        }
    }

    /// libcurl 7.88 ends the connection at 128 KiB, a newer one does not.
    @Test(arguments: EntryStyle.allCases)
    func `a larger head is too large, and no connection that broke`(style: EntryStyle) async throws {
        let server = try server(fields: 140_000)
        for (limit, expected) in [(64 << 10, LimitExceeded.Limit.header), (1 << 20, .headerLine)] {
            for method in [HTTPMethod.get, .post] {
                let draft = MutableRequest(method, server.url()) |> .headerLimit(limit) |> .timeout(.seconds(20))
                let result = try await style.results(of: [Request(draft)], over: server.transport(), atOnce: 1)[0]
                if case .success = result, limit > 140_000 { continue }
                guard case .failure(.limitExceeded(let failure)) = result else { throw Unexpected(result) }
                #expect(failure.limit == expected && failure.value == min(limit, 128 << 10))
            }
        }
        #expect(server.connectionCount == 4)
    }
}
