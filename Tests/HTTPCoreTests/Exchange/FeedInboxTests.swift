import Testing

@testable import HTTPCore

/// Calls are numbers, and the loop is a word.
@Suite struct FeedInboxTests {
    private typealias Inbox = FeedInbox<Int, String>

    /// One whose driver has made the first call, has parked the loop and sleeps, or not yet.
    private func idle(isAsleep: Bool = true) -> Inbox {
        var inbox = Inbox()
        _ = inbox.submit(0)
        take(&inbox)
        inbox.park("loop")
        if isAsleep { _ = inbox.next(isOver: false) }
        return inbox
    }

    /// The same, after enough calls in a row that were alone.
    private func solitary(isAsleep: Bool = true) -> Inbox {
        var inbox = idle()
        for call in 1...Solitude.enough {
            _ = inbox.submit(call)
            _ = inbox.next(isOver: false)
            take(&inbox)
            inbox.park("loop")
        }
        if isAsleep { _ = inbox.next(isOver: false) }
        return inbox
    }

    /// The same, with the loop lent for a call.
    private func lent(isAsleep: Bool = true) -> Inbox {
        var inbox = solitary(isAsleep: isAsleep)
        #expect(inbox.submit(1).text == "begin loop")
        return inbox
    }

    @discardableResult
    private func take(_ inbox: inout Inbox) -> [Int] {
        var calls: [Int] = []
        inbox.take(into: &calls)
        return calls
    }

    // MARK: Who hands in calls

    @Test func `the first call needs a thread, and those that come before it is there do not`() {
        var inbox = Inbox()
        #expect(inbox.submit(1).text == "needs thread")
        #expect(inbox.submit(2).text == "taken")
        #expect(inbox.needsDriver)
        #expect(take(&inbox) == [1, 2])
        #expect(take(&inbox) == [])
    }

    @Test func `a driver that sleeps is woken once`() {
        var inbox = idle()
        #expect(inbox.submit(1).text == "wake")
        #expect(inbox.submit(2).text == "taken")
        #expect(inbox.next(isOver: false).text == "go loop")
        #expect(take(&inbox) == [1, 2])
    }

    @Test func `a driver that makes calls is woken only if it sleeps meanwhile`() {
        var inbox = Inbox()
        _ = inbox.submit(1)
        take(&inbox)
        #expect(inbox.submit(2).text == "taken")
        #expect(inbox.maySleep() == false)
        take(&inbox)
        #expect(inbox.maySleep() == true)
        #expect(inbox.submit(3).text == "wake")
    }

    @Test func `after enough calls that were alone, one is begun where it is handed in`() {
        var inbox = solitary()
        #expect(inbox.submit(1).text == "begin loop")
        // Another that comes meanwhile is not.
        #expect(inbox.submit(2).text == "wake")
        #expect(inbox.hasCalls && !inbox.needsDriver)
    }

    @Test func `one that comes behind another that waits is not begun where it is handed in`() {
        var inbox = idle(isAsleep: false)
        for call in 1...10 { #expect(inbox.submit(call).text == "taken") }
        #expect(take(&inbox) == Array(1...10))
    }

    @Test func `a call that is under way wakes the driver, which goes on with it`() {
        var inbox = lent()
        #expect(inbox.putBack("loop", isBusy: true) == true)
        #expect(inbox.needsDriver)
        #expect(inbox.next(isOver: false).text == "go loop")
        #expect(take(&inbox) == [])
    }

    @Test func `a driver that has not fallen asleep yet is not woken, and sees what is under way`() {
        var inbox = lent(isAsleep: false)
        #expect(!inbox.needsDriver)
        #expect(inbox.putBack("loop", isBusy: true) == false)
        #expect(inbox.needsDriver)
        #expect(inbox.next(isOver: false).text == "go loop")
    }

    @Test func `a call that is over lets the driver sleep`() {
        var inbox = lent()
        #expect(inbox.putBack("loop", isBusy: false) == false)
        #expect(!inbox.needsDriver)
        #expect(inbox.next(isOver: false).text == "sleep")
        #expect(inbox.submit(2).text == "begin loop")
    }

    @Test func `who puts the loop back wakes the driver for a call that came meanwhile`() {
        var inbox = lent(isAsleep: false)
        #expect(inbox.submit(2).text == "taken")
        // It finds nothing that it could do it with.
        #expect(inbox.next(isOver: false).text == "sleep")
        #expect(inbox.putBack("loop", isBusy: false) == true)
        #expect(inbox.next(isOver: false).text == "go loop")
        #expect(take(&inbox) == [2])
    }

    @Test func `a call that was not begun after all is the driver's`() {
        var inbox = lent()
        #expect(inbox.putBack("loop", unbegun: 1).text == "wake")
        #expect(inbox.next(isOver: false).text == "go loop")
        #expect(take(&inbox) == [1])
    }

    @Test func `without a thread all calls are returned, and the next one asks again`() {
        var inbox = Inbox()
        _ = inbox.submit(1)
        _ = inbox.submit(2)
        #expect(inbox.refuseDriver() == [1, 2])
        #expect(inbox.submit(3).text == "needs thread")
        #expect(take(&inbox) == [3])
    }

    // MARK: The end of a driver

    @Test func `a driver that has slept for long enough ends, and the next call needs another`() {
        var inbox = idle()
        #expect(inbox.next(isOver: true).text == "end loop")
        #expect(inbox.submit(1).text == "needs thread")
    }

    @Test func `one whose loop was lent meanwhile sleeps once more`() {
        var inbox = lent()
        #expect(inbox.putBack("loop", isBusy: false) == false)
        #expect(inbox.next(isOver: true).text == "sleep anew")
        #expect(inbox.next(isOver: true).text == "end loop")
    }

    @Test func `one whose loop is lent does not end`() {
        var inbox = lent()
        for _ in 0..<3 { #expect(inbox.next(isOver: true).text == "sleep anew") }
    }

    @Test func `one that sleeps may be lent the loop itself, and goes on if there is something left to do`() {
        var inbox = idle()
        #expect(inbox.lendToDriver() == "loop")
        #expect(inbox.lendToDriver() == nil)
        #expect(inbox.putBack("loop", isBusy: false) == false)
        #expect(inbox.lendToDriver() == "loop")
        #expect(inbox.putBack("loop", isBusy: true) == true)
        #expect(inbox.lendToDriver() == nil)
        #expect(inbox.next(isOver: false).text == "go loop")
        inbox.park("loop")
        _ = inbox.submit(1)
        #expect(inbox.lendToDriver() == nil)
        // It has not put off the end.
        take(&inbox)
        #expect(inbox.next(isOver: true).text == "end loop")
    }

    @Test func `one that sleeps is woken to end when nobody can hand in another call`() {
        var inbox = idle()
        #expect(inbox.close() == true)
        #expect(inbox.next(isOver: false).text == "end loop")
    }

    @Test func `one that does not sleep ends by itself then`() {
        var inbox = idle(isAsleep: false)
        #expect(inbox.close() == false)
        #expect(inbox.next(isOver: false).text == "end loop")
    }

    @Test(arguments: [true, false])
    func `one whose inbox is closed while its loop is lent ends when that is put back`(isAsleep: Bool) {
        var inbox = lent(isAsleep: isAsleep)
        #expect(inbox.close() == isAsleep)
        // Without the loop it cannot end yet.
        #expect(inbox.next(isOver: true).text == "sleep anew")
        #expect(inbox.putBack("loop", isBusy: false) == true)
        #expect(inbox.next(isOver: false).text == "end loop")
    }

    @Test func `calls that are there are made first`() {
        var inbox = idle(isAsleep: false)
        _ = inbox.submit(1)
        _ = inbox.close()
        #expect(inbox.next(isOver: true).text == "go loop")
    }
}

extension FeedInbox.Submission where Loop == String {
    fileprivate var text: String {
        switch self {
        case .taken: "taken"
        case .wake: "wake"
        case .needsThread: "needs thread"
        case .begin(let loop, _): "begin \(loop)"
        }
    }
}

extension FeedInbox.Turn where Loop == String {
    fileprivate var text: String {
        switch self {
        case .go(let loop): "go \(loop)"
        case .sleep(let anew): anew ? "sleep anew" : "sleep"
        case .end(let loop): "end \(loop)"
        }
    }
}
