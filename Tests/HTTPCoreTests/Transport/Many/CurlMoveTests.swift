#if canImport(CLibcurl)
import Dispatch
import HTTPTesting
import Testing

@testable import HTTPCore

/// What a loop counts as moves of its transfers.
@Suite(.timeLimit(.minutes(1))) struct CurlMoveTests {
    /// Calls one after the other, each of which is answered once the loop waits for it for so many times. Only then does it
    /// sleep; the times before, it is told that there is something to do.
    private struct Source: CurlCallSource {
        let request: Request
        let count: Int
        let waits: Int
        let mayAnswer = DispatchSemaphore(value: 0)
        let server: MockServer
        var texts: [String?] = []
        private var position = 0
        private var waited = 0

        init(count: Int, waits: Int) throws {
            server = try MockServer { [mayAnswer] _ in
                mayAnswer.wait()
                return .text("ok")
            }
            request = try Request(.get(server.url("/")))
            self.count = count
            self.waits = waits
        }

        var isExhausted: Bool { position == count }

        mutating func next() -> Int? {
            guard position < count else { return nil }
            defer { position += 1 }
            waited = 0
            return position
        }

        func call(for item: Int) -> CurlCall { CurlCall(request, defaultVersion: .automatic) }

        func isCancelled(_ item: Int) -> Bool { false }

        mutating func deliver(_ result: consuming Result<Response, HTTPError>, of item: Int, isLast: Bool) {
            texts.append(try? result.get().text())
        }

        mutating func mayWait() -> Bool {
            waited += 1
            if waited == waits { mayAnswer.signal() }
            return waited >= waits
        }
    }

    /// One that looks only at what is ready, after a turn in which none of so many moved.
    private func outlook(silent: Int) -> CurlOutlook {
        var outlook = CurlOutlook(isWide: false)
        outlook.note(moved: 0, of: silent)
        return outlook
    }

    @Test func `a request that goes out and its answer in the same turn are one move`() throws {
        // So many moves it takes to change this one, that it makes a difference whether they are counted twice.
        var outlook = outlook(silent: 64)
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil), outlook: outlook)
        var loop = CurlLoop(try Source(count: 40, waits: 1), in: hub, limit: 1)
        while loop.fill() {
            loop.turn()
            // The most that may be counted in a turn of one call.
            outlook.note(moved: 1, of: 1)
            if !outlook.isWide { #expect(!hub.looksAtAll) }
        }
        #expect(outlook.isWide)
        #expect(loop.source.texts == Array(repeating: "ok", count: 40))
        #expect(loop.source.server.requestCount == 40)
    }

    @Test func `a request that goes out in one turn and its answer in the next are two`() throws {
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil), outlook: outlook(silent: 31))
        var loop = CurlLoop(try Source(count: 10, waits: 2), in: hub, limit: 1)
        while loop.fill() { loop.turn() }
        // It takes sixteen moves, which the answers alone are not.
        #expect(hub.looksAtAll)
        #expect(loop.source.texts == Array(repeating: "ok", count: 10))
        #expect(loop.source.server.requestCount == 10)
    }

    @Test func `a call that is over at the start of a turn is one of those under way in it`() throws {
        let hub = try CurlHub(CurlConfiguration(), CurlHeaderLists(userAgent: nil), outlook: CurlOutlook(isWide: false))
        let source = try Source(count: 1, waits: .max)
        var loop = CurlLoop(source, in: hub, limit: 1)
        while loop.fill(), source.server.requestCount == 0 {
            loop.turn()
            _ = hub.multi.poll(milliseconds: 10)
        }
        source.mayAnswer.signal()
        #expect((0..<30).contains { _ in hub.multi.poll(milliseconds: 1000) })
        // All are looked at now, which finds the answer, and the next move makes the hub do so by itself.
        for _ in 0..<100 { hub.note(moved: 64, of: 64) }
        hub.changeOutlook()
        for _ in 0..<200 { hub.note(moved: 0, of: 1) }
        try #require(!hub.looksAtAll)
        loop.turn()
        #expect(hub.looksAtAll)
        while loop.fill() { loop.turn() }
        #expect(loop.source.texts == ["ok"])
    }
}
#endif
