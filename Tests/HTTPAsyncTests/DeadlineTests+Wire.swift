import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPAsync

extension DeadlineTests {
    @Test func `a transport keeps to the deadline around it`() async throws {
        let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
        let client = CurlTransport()
        do {
            _ = try await Dispatcher.shared.run(timeout: .milliseconds(100)) {
                client.executeRequest(.get(server.url("/")))
            }
            Issue.record("it was answered")
        } catch {
            guard case .timedOut(let failure) = error else { throw error }
            #expect(failure.limit == .total)
            #expect(failure.duration == .milliseconds(100))
        }
    }
}
