#if canImport(CLibcurl)
import HTTPTesting
import Testing

@testable import HTTPCore

/// When a loop hears that calls are cancelled. No other thread is needed for it: they are cancelled when the loop has just
/// said that it goes to sleep, which is when another thread does the most harm.
@Suite(
    .enabled(if: CurlLibrary.shared.keepsNotesOfSockets, "this libcurl is looked at in one way only"),
    .timeLimit(.minutes(1)))
struct CurlAlarmTurnTests {
    private enum Event: Equatable {
        case cancelled(Int)
        case ended(Int)
    }

    /// Calls to a server that is silent, one of which is cancelled before each wait.
    private struct Source: CurlCallSource {
        let request: Request
        let count: Int
        let hub: CurlHub
        let changesOutlook: Bool
        var events: [Event] = []
        private var position = 0
        private var cancelledCount = 0

        init(_ request: Request, count: Int, hub: CurlHub, changesOutlook: Bool) {
            self.request = request
            self.count = count
            self.hub = hub
            self.changesOutlook = changesOutlook
        }

        var isExhausted: Bool { position == count }

        mutating func next() -> Int? {
            guard position < count else { return nil }
            defer { position += 1 }
            return position
        }

        func call(for item: Int) -> CurlCall { CurlCall(request, defaultVersion: .automatic) }

        func isCancelled(_ item: Int) -> Bool { item < cancelledCount }

        mutating func deliver(_ result: consuming Result<Response, HTTPError>, of item: Int, isLast: Bool) {
            events.append(.ended(item))
            guard case .failure(.cancelled) = result else { return unexpected(result) }
        }

        mutating func mayWait() -> Bool {
            if changesOutlook { hub.changeOutlook() }
            guard cancelledCount < count else { return true }
            events.append(.cancelled(cancelledCount))
            cancelledCount += 1
            hub.alarm.ring()
            return true
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `who is cancelled before a wait has ended before the next, also where the way to look changes`(
        isWide: Bool, changes: Bool
    ) throws {
        let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
        let outlook = CurlOutlook(isWide: isWide, isFixed: !changes)
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil), outlook: outlook)
        let source = Source(try Request(.get(server.url("/"))), count: 6, hub: hub, changesOutlook: changes)
        var loop = CurlLoop(source, in: hub, limit: .max)
        // Twice as many turns as it takes.
        for _ in 0..<14 where loop.fill() { loop.turn() }
        #expect(loop.source.events == (0..<6).flatMap { [.cancelled($0), .ended($0)] })
        #expect(loop.active == 0)
    }
}
#endif
