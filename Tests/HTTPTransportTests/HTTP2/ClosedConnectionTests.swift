import HTTPCore
import HTTPCurl
import HTTPSupport
import Testing

import HTTPMockServer

/// Kept connections of HTTP/2 that the server closes without GOAWAY.
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(1)))
struct ClosedConnectionTests {
    /// libcurl takes a connection whose end it has read in order for one that lives.
    @Test(arguments: EntryStyle.allCases, [HTTPMethod.post, .get])
    func `a request is sent once, on another connection than the closed one`(
        style: EntryStyle, method: HTTPMethod
    ) async throws {
        let (arrived, isDone, closed) = (Locked<[Int]>([]), Signal(), Signal())
        let server = try RawServer(tls: true, version: .http2) { stream, number in
            let connection = FaultConnection(stream, isHTTP2: true, progress: FaultProgress())
            while connection.readRequest() {
                arrived.withLock { $0.append(number) }
                connection.begin(200, [("content-length", "0")])
                connection.endStream()
                guard number == 1 else { continue }
                _ = isDone.wait()
                // close_notify, then the end; reading on, so that it is no reset.
                stream.finishWriting()
                closed.fire()
            }
        }
        let client = try server.transport()
        let first = try Request(.get(server.url()))
        #expect(try await style.results(of: [first], over: client, atOnce: 1)[0].get().status == 200)
        isDone.fire()
        _ = closed.wait()
        let next = try Request(MutableRequest(method, server.url()) |> .timeout(.seconds(10)))
        let response = try await style.results(of: [next], over: client, atOnce: 1)[0].get()
        #expect(response.status == 200 && !response.metrics.isConnectionReused)
        #expect(arrived.withLock(\.self) == [1, 2])
    }
}
