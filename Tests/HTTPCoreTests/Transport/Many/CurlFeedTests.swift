#if canImport(CLibcurl)
import Dispatch
import HTTPTesting
import Testing

@testable import HTTPCore

/// Who makes the calls of a feed.
@Suite(.enabled(if: CurlLibrary.shared.resolvesAside, "this libcurl waits for names"), .timeLimit(.minutes(1)))
struct CurlFeedTests {
    private let transport = CurlTransport()

    /// Hands in a call and waits until it is over. `told` runs on the driver's thread.
    private func make(_ request: Request, told: @escaping @Sendable () -> Void = {}) throws -> FedTestCall {
        let over = DispatchSemaphore(value: 0)
        let call = FedTestCall(request) {
            over.signal()
            told()
        }
        if transport.feed.submit(call, from: .caller) {
            _ = TestThread { [feed = transport.feed] in feed.drive(idleTime: .seconds(10)) }
        }
        over.wait()
        _ = try call.result?.get()
        return call
    }

    @Test func `of calls one after the other the next is sent while the driver's thread is held up`() throws {
        let server = try MockServer { .text($0.path) }
        for index in 0..<Solitude.enough { _ = try make(try Request(.get(server.url("/\(index)")))) }
        let gate = DispatchSemaphore(value: 0)
        _ = try make(try Request(.get(server.url("/held")))) { gate.wait() }
        let over = DispatchSemaphore(value: 0)
        let call = FedTestCall(try Request(.get(server.url("/next")))) { over.signal() }
        #expect(!transport.feed.submit(call, from: .caller))
        try server.waitForRequestCount(Solitude.enough + 2)
        gate.signal()
        over.wait()
        #expect(try call.result?.get().text() == "/next")
        #expect(server.requests.map(\.path) == (0..<Solitude.enough).map { "/\($0)" } + ["/held", "/next"])
        #expect(server.connectionCount == 1)
    }
}
#endif
