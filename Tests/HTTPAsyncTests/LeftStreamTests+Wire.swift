import HTTPCaching
import HTTPObservability
import HTTPTransfers
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Synchronization
import Testing

extension LeftStreamTests {
    /// Over a cache a thread receives the body, which the event loop does otherwise.
    @Test(arguments: [false, true])
    func `a reader that leaves a silent server is no failure, and the connection ends`(isCached: Bool) async throws {
        let server = try MockServer { _ in .text("line 1\nline 2\n").failing(.stall(.midBody(after: 7))) }
        let lines = Mutex<[String]>([])
        let endings = Mutex<[Bool]>([])
        let done = Event()
        let transport: any HTTPClient = CurlTransport()
        // Listed first is told last.
        let client = (isCached ? transport.intercepted(by: .cache(.memory(megabytes: 1))) : transport).intercepted(
            by: .log { line in
                lines.withLock { $0.append(line) }
                done.signal()
            },
            .observing { event in
                guard case .finished(_, let outcome, _, _) = event else { return }
                endings.withLock { $0.append((try? outcome.get()) != nil) }
            })
        for try await _ in client.stream(.get(server.url), as: .lines) { break }
        await done.happened()
        let line = lines.withLock { $0.first ?? "" }
        #expect(line.hasPrefix("GET \(server.url("/")) → 200, left in "), "\(line)")
        #expect(endings.withLock { $0 } == [true])
        try await server.wait(for: .openConnections(atMost: 0))
        #expect(server.requestCount == 1)
    }
}
