#if canImport(CLibcurl)
import Dispatch
import HTTPTesting
import Testing

@testable import HTTPCore

/// When a hub that looks only at what is ready looks at all. The points in time are given to it: nothing here waits for
/// them.
@Suite(
    .enabled(if: CurlLibrary.shared.keepsNotesOfSockets, "this libcurl is looked at in one way only"),
    .timeLimit(.minutes(1)))
struct CurlRoundTests {
    /// A call whose request is out, and whose hub was told nothing of its socket: as if libcurl had lost it.
    private final class LostCall {
        let hub: CurlHub
        private let transfer: CurlTransfer
        private var call: CurlCall
        private let server: MockServer
        private let mayAnswer = DispatchSemaphore(value: 0)

        init(in hub: CurlHub) throws {
            server = try MockServer { [mayAnswer] _ in
                mayAnswer.wait()
                return .text("found")
            }
            self.hub = hub
            call = CurlCall(try Request(.get(server.url("/"))), defaultVersion: .automatic)
            transfer = try hub.transfer(for: call.key, active: 1)
            #expect(call.begin(in: transfer, at: .now) == nil)
            #expect(hub.multi.add(transfer) == nil)
            // Also until libcurl has nothing more to do soon: that would be a look.
            for _ in 0..<3000 where server.requestCount == 0 { run() }
            try #require(server.requestCount == 1)
            for _ in 0..<100 where (hub.multi.timeout ?? .max) < 5000 { run() }
            _ = hasBeenLookedAt
        }

        deinit {
            mayAnswer.signal()
            hub.multi.remove(transfer)
        }

        /// Returns when the answer is there to be read.
        func answer() {
            mayAnswer.signal()
            #expect((0..<30).contains { _ in hub.multi.poll(milliseconds: 1000) })
        }

        private func run() {
            #expect(hub.multi.perform() != nil)
            _ = hub.multi.poll(milliseconds: 10)
        }

        /// Since last asked.
        var hasBeenLookedAt: Bool {
            transfer.exchange.hasProgressed = false
            defer { hub.log.slots = [] }
            return !hub.log.slots.isEmpty
        }
    }

    private func hub(_ outlook: CurlOutlook) throws -> CurlHub {
        try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil), outlook: outlook)
    }

    @Test func `all are looked at once in a second, however many wake-ups there are meanwhile`() throws {
        let hub = try hub(CurlOutlook(isWide: false, isFixed: true))
        let start = TimePoint.now
        #expect(hub.runDue(at: start))
        let call = try LostCall(in: hub)
        for tenth in 1...9 {
            let now = start + .milliseconds(100 * tenth)
            hub.alarm.waker.wake()
            #expect(hub.runReady(within: 0, at: now) && hub.runDue(at: now))
        }
        call.answer()
        #expect(hub.runDue(at: start + .milliseconds(999)))
        #expect(!call.hasBeenLookedAt)
        #expect(hub.runDue(at: start + .seconds(1)))
        #expect(call.hasBeenLookedAt)
    }

    @Test func `all are looked at where the hub no longer did so by itself`() throws {
        let hub = try hub(CurlOutlook(isWide: false))
        #expect(hub.runDue(at: .now + .seconds(1000)))
        hub.changeOutlook()
        let call = try LostCall(in: hub)
        call.answer()
        hub.changeOutlook()
        #expect(!hub.looksAtAll)
        #expect(hub.runDue(at: .now))
        #expect(call.hasBeenLookedAt)
    }

    @Test func `a wait is over when all are to be looked at`() throws {
        let hub = try hub(CurlOutlook(isWide: false, isFixed: true))
        let start = TimePoint.now
        #expect(hub.runDue(at: start))
        #expect(hub.runReady(within: 30_000, at: start + .milliseconds(995)))
        #expect(start.duration(to: .now) < .seconds(20))
    }
}
#endif
