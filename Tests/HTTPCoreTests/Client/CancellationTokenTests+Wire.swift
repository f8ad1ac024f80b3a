import TestSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

extension CurrentTokenTests {
    @Test func `a call under a cancelled token fails before anything is sent`() throws {
        let server = try MockServer { _ in .text("ok") }
        let token = CancellationToken()
        token.cancel()
        let result = token.run { CurlTransport().executeRequest(.get(server.url)) }
        guard case .failure(.cancelled(let record?)) = result else { return unexpected(result) }
        #expect(record.phase == .starting)
        #expect(server.connectionCount == 0)
    }

    @Test func `cancelling from another thread ends a waiting call`() throws {
        let server = try MockServer { _ in .text("late").taking(.seconds(20)) }
        let token = CancellationToken()
        Thread.detachNewThread {
            try? server.wait(for: .requests(1))
            token.cancel()
        }
        let start = ContinuousClock.now
        let result = token.run { CurlTransport().executeRequest(.get(server.url)) }
        guard case .failure(.cancelled(let record?)) = result else { return unexpected(result) }
        #expect(record.phase == .waiting)
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
