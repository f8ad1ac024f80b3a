import HTTPCore
import HTTPCurl
import Testing

import HTTPMockServer

/// Responses over one connection whose last bytes arrive together.
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(5))) struct HTTP2BurstTests {
    /// The end of the long responses does not fit into a receive buffer. libcurl 7.88 to 8.0 keeps it, with the frames behind
    /// it, and does not ask to be called again.
    @Test(arguments: [3, 4])
    func `responses are read to their ends although nothing more arrives for others of their connection`(
        count: Int
    ) throws {
        let (length, last) = (65_536 + 4_000, 4_000 + 9)
        let server = try RawServer(tls: true, version: .http2) { stream, _ in
            let connection = FaultConnection(stream, isHTTP2: true, progress: FaultProgress())
            var acknowledgement = HTTP2Frame.frame(4, flags: 1)
            while true {
                var streams: [UInt8] = []
                while streams.count < count {
                    guard connection.readRequest() else { return }
                    streams.append(connection.streamID)
                }
                let short = streams.removeLast()
                let heads =
                    acknowledgement + HTTP2Frame.head(200, [("content-length", "1")], on: short)
                    + streams.flatMap { HTTP2Frame.head(200, [("content-length", "\(length)")], on: $0) }
                acknowledgement = []
                let body = [UInt8](repeating: 97, count: length)
                let bytes = heads + streams.flatMap { HTTP2Frame.data(body, endsStream: true, on: $0) }
                connection.write(Array(bytes.dropLast(last)))
                connection.write(bytes.suffix(last) + HTTP2Frame.data([98], endsStream: true, on: short))
            }
        }
        let client = try server.transport()
        // Less than the second after which the loop looks at all of its transfers.
        let request = try Request(.get(server.url()) |> .idleTimeout(.milliseconds(600)))
        for _ in 0..<12 {
            let results = client.executeRequests(Array(repeating: request, count: count), maxConcurrent: count)
            let counts = try results.map { try $0.get().body.count }
            #expect(counts == Array(repeating: length, count: count - 1) + [1])
        }
        #expect(server.connectionCount == 1)
    }
}
