import HTTPObservability
import HTTPTransfers
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Synchronization
import Testing

extension LeftStreamTests {
    @Test func `a reader that leaves a silent server is no failure, and the connection ends`() async throws {
        let server = try MockServer { _ in .text("line 1\nline 2\n").failing(.stall(.midBody(after: 7))) }
        let lines = Mutex<[String]>([])
        let done = Event()
        let client = CurlTransport().intercepted(
            by: .log { line in
                lines.withLock { $0.append(line) }
                done.signal()
            })
        for try await _ in client.stream(.get(server.url), as: .lines) { break }
        await done.happened()
        let line = lines.withLock { $0.first ?? "" }
        #expect(line.hasPrefix("GET \(server.url("/")) → 200, left in "), "\(line)")
        try await server.waitForOpenConnectionCount(atMost: 0)
        #expect(server.requestCount == 1)
    }
}
