#if canImport(CLibcurl)
import CLibcurl
import Dispatch
import Foundation
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
        if transport.feed.submit(call, isAwaitedHere: false) {
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
        #expect(!transport.feed.submit(call, isAwaitedHere: false))
        try server.waitForRequestCount(Solitude.enough + 2)
        gate.signal()
        over.wait()
        #expect(try call.result?.get().text() == "/next")
        #expect(server.requests.map(\.path) == (0..<Solitude.enough).map { "/\($0)" } + ["/held", "/next"])
        #expect(server.connectionCount == 1)
    }

    @Test func `calls that each free a slot for the next are not made within one another`() throws {
        let server = try MockServer { .text($0.path) }
        for index in 0...Solitude.enough { _ = try make(try Request(.get(server.url("/\(index)")))) }
        let (over, depth) = (DispatchSemaphore(value: 0), Locked((now: 0, most: 0)))
        // Cancelled, so that each is over as soon as it is begun.
        @Sendable func cancelled(_ left: Int, _ request: Request) -> FedTestCall {
            let call = FedTestCall(request) { [feed = transport.feed] in
                depth.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                if left > 0 { _ = feed.submit(cancelled(left - 1, request), isAwaitedHere: false) }
                depth.withLock { $0.now -= 1 }
                if left == 0 { over.signal() }
            }
            call.cancel()
            return call
        }
        #expect(!transport.feed.submit(cancelled(100, try Request(.get(server.url("/")))), isAwaitedHere: false))
        over.wait()
        #expect(depth.withLock { $0.most } == 1)
        #expect(server.requestCount == Solitude.enough + 1)
    }

    @Test(arguments: [true, false]) func `only the task that awaits a call looks for its answer`(isAwaitedHere: Bool)
        throws
    {
        let server = try MockServer { .text($0.path).delayed(head: .milliseconds($0.path == "/late" ? 100 : 0)) }
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        transport.pool.checkIn(hub)
        for index in 0..<Solitude.enough { _ = try make(try Request(.get(server.url("/\(index)")))) }
        let gate = DispatchSemaphore(value: 0)
        _ = try make(try Request(.get(server.url("/held")))) { gate.wait() }
        // With the driver held up nobody else has it.
        var patience = Patience()
        patience.noteWaking(after: .zero)
        hub.patience = patience
        let over = DispatchSemaphore(value: 0)
        let call = FedTestCall(try Request(.get(server.url("/late")))) { over.signal() }
        #expect(!transport.feed.submit(call, isAwaitedHere: isAwaitedHere))
        // One in vain is the last for a while.
        #expect(hub.patience.mayLook == !isAwaitedHere)
        gate.signal()
        over.wait()
        #expect(try call.result?.get().text() == "/late")
        #expect(server.connectionCount == 1)
    }

    @Test func `only the task that awaits a call may find it over when it has handed it in`() throws {
        let server = try MockServer { .text($0.path) }
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        transport.pool.checkIn(hub)
        for index in 0...Solitude.enough { _ = try make(try Request(.get(server.url("/\(index)")))) }
        var toldHere = [true: 0, false: 0]
        let here = ObjectIdentifier(Thread.current)
        // With other tests about, few are answered soon enough.
        for _ in 0..<20_000 where toldHere[true] != 5 {
            for isAwaitedHere in [false, true] {
                var patience = Patience()
                patience.noteWaking(after: .zero)
                // Nobody has it while nothing is under way.
                hub.patience = patience
                let (over, isHere) = (DispatchSemaphore(value: 0), Locked(false))
                let call = FedTestCall(try Request(.get(server.url("/")))) {
                    isHere.withLock { $0 = ObjectIdentifier(Thread.current) == here }
                    over.signal()
                }
                #expect(!transport.feed.submit(call, isAwaitedHere: isAwaitedHere))
                over.wait()
                if isHere.withLock({ $0 }) { toldHere[isAwaitedHere, default: 0] += 1 }
            }
        }
        #expect(toldHere == [true: 5, false: 0])
    }

    @Test func `the last call is told while connections are on their way out`() throws {
        let server = try MockServer { .text($0.path) }
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        transport.pool.checkIn(hub)
        // As libcurl tells from 8.12 on.
        let pipe = try WakePipe()
        hub.sockets.note(pipe.descriptor, CURL_POLL_IN)
        #expect(!hub.isQuiet)
        for index in 0...Solitude.enough + 1 { _ = try make(try Request(.get(server.url("/\(index)")))) }
        #expect(server.connectionCount == 1)
    }
}
#endif
