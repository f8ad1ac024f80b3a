#if canImport(CLibcurl)
import HTTPTesting
import Testing

@testable import HTTPCore

/// The look for what comes next, before a thread goes to sleep.
@Suite(.timeLimit(.minutes(1))) struct MomentaryLookTests {
    /// One that looks. After a look in vain it takes two things in a row that come soon, and otherwise one.
    private var looking: Patience {
        var patience = Patience()
        patience.noteWaking(after: .zero)
        return patience
    }

    /// One that does not look, but would if one more thing came soon.
    private var wary: Patience {
        var patience = looking
        patience.noteLook(.zero, found: false)
        patience.noteWaking(after: .zero)
        return patience
    }

    private func looksAfterOneMore(_ patience: Patience) -> Bool {
        var patience = patience
        patience.noteWaking(after: .zero)
        return patience.looks
    }

    @Test func `without a reason to there is no look`() {
        var patience = wary
        let found = patience.look(from: .now) {
            Issue.record("looked")
            return true
        }
        #expect(!found)
        #expect(looksAfterOneMore(patience))
    }

    @Test func `a look is over as soon as something has come, and was worth it`() {
        var patience = looking
        var looks = 0
        // In the future, so that no time passes.
        let found = patience.look(from: .now + .seconds(3600)) {
            looks += 1
            return looks == 3
        }
        #expect(found && looks == 3 && patience.looks)
    }

    @Test func `a look that takes too long is over, and was in vain`() {
        var patience = looking
        #expect(!patience.look(from: .now) { false })
        #expect(!patience.looks)
    }

    /// The patience of a lane that has made a blocking call, which was answered late, over a connection that stood.
    private func patience(afterLateAnswer patience: Patience) throws -> Patience {
        let server = try MockServer { _ in .text("late").delayed(head: .milliseconds(100)) }
        let client = CurlTransport()
        let request = try Request(.get(server.url("/late")))
        _ = try client.executeRequest(request).get()
        let lane = try client.pool.checkOut(CurlCall(request, defaultVersion: .automatic).key, at: .now)
        lane.patience = patience
        client.pool.checkIn(lane)
        #expect(try client.executeRequest(request).get().text() == "late")
        #expect(server.requests.map(\.target) == ["/late", "/late"])
        return lane.patience
    }

    @Test func `a blocking call looks for its answer where that pays off`() throws {
        #expect(try !looksAfterOneMore(patience(afterLateAnswer: looking)))
    }

    @Test func `a blocking call that sleeps takes note of how long`() throws {
        #expect(try !looksAfterOneMore(patience(afterLateAnswer: wary)))
    }

    @Test func `a thread that may have many calls under way looks for the answer of one`() throws {
        let server = try MockServer { _ in .text("late").delayed(head: .milliseconds(100)) }
        let hub = try CurlHub(CurlConfiguration())
        hub.patience = looking
        var texts: [String?] = []
        let requests = [try Request(.get(server.url("/late")))]
        let batch = RequestBatch(requests: requests, maxConcurrent: 1, tokens: []) { _, result in
            texts.append(try? result.get().text())
        }
        CurlBatch(batch, defaultVersion: .automatic).run(in: hub)
        #expect(texts == ["late"])
        #expect(!looksAfterOneMore(hub.patience))
    }

    @Test(arguments: [(1, true), (8, true), (9, false)])
    func `of several calls on one thread the answers are looked for if they are few`(count: Int, areFew: Bool) throws {
        let hub = try CurlHub(CurlConfiguration())
        hub.patience = looking
        hub.wait(milliseconds: 1, from: .now, active: count)
        #expect(looksAfterOneMore(hub.patience) == !areFew)
    }

    @Test(arguments: [(1, true), (8, true), (9, false)])
    func `a wait that was short is noted if they are few`(count: Int, areFew: Bool) throws {
        let hub = try CurlHub(CurlConfiguration())
        hub.alarm.waker.wake()
        // In the future, so that no time passes.
        hub.wait(milliseconds: 1000, from: .now + .seconds(3600), active: count)
        #expect(hub.patience.looks == areFew)
    }
}
#endif
