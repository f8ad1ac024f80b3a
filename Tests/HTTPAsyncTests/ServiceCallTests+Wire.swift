import HTTPObservability
import HTTPPolicies
import HTTPSupport
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension DetachedCallTests {
    @Test func `policies around a detached client, and blocking work with it, are detached too`() throws {
        let token = CancellationToken()
        let server = try MockServer { _ in .text("ok") }
        let detached = CurlTransport().intercepted(by: .retry(), .log { _ in }).detached
        let statuses = Locked<[HTTPStatus?]>([])
        CallDeadline(.zero).run {
            token.run {
                token.cancel()
                detached.executeRequest(.get(server.url), callbackQueue: .immediate) { [ended] result in
                    statuses.withLock { $0.append(try? result.get().status) }
                    ended.signal()
                }
            }
        }
        ended.block()
        #expect(statuses.withLock(\.self) == [.ok])
    }
}
