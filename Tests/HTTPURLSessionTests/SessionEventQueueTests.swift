import HTTPSupport
import Foundation
import HTTPTesting
import Testing

@testable import HTTPURLSession

@Suite struct SessionEventQueueTests {
    private let full = SessionEvent.body(Data(count: SessionEventQueue.capacity + 1))

    @Test func `events come out in order, and a closed queue accepts none`() {
        let mailbox = SessionEventQueue()
        mailbox.post(.sent(1))
        mailbox.post(.sent(2))
        guard case .sent(1)? = mailbox.take(), case .sent(2)? = mailbox.take() else {
            Issue.record("out of order")
            return
        }
        #expect(mailbox.take() == nil)
        mailbox.close()
        mailbox.post(.sent(3))
        #expect(mailbox.take() == nil && mailbox.isClosed)
    }

    @Test func `the producer waits until it is read, it is closed or the time is up`() {
        let mailbox = SessionEventQueue()
        mailbox.post(full)
        let start = TimePoint.now
        mailbox.waitForRoom(until: start + .milliseconds(30))
        #expect(start.duration(to: .now) >= .milliseconds(30))
        for release in [{ _ = mailbox.take() }, { mailbox.close() }] as [@Sendable () -> Void] {
            let waiting = TestThread { mailbox.waitForRoom(until: .now + .seconds(20)) }
            release()
            waiting.join()
            mailbox.post(full)
        }
        #expect(start.duration(to: .now) < .seconds(15))
    }

    @Test func `a wake-up before the wait is not lost`() {
        let mailbox = SessionEventQueue()
        mailbox.wake()
        let start = TimePoint.now
        mailbox.wait(until: start + .seconds(20))
        #expect(start.duration(to: .now) < .seconds(15))
    }

    @Test func `a task is resumed once, and only after it was suspended`() {
        var hold = SessionBackpressure.running
        let idle = hold.release()
        #expect(!idle)
        let (begun, again) = (hold.begin(), hold.begin())
        #expect(begun && !again)
        // The queue is emptied before the task is suspended: the thread that suspends it also resumes it.
        let early = hold.release()
        let resumesItself = hold.confirm()
        #expect(!early && resumesItself)
        let next = hold.begin()
        let stays = hold.confirm()
        let resumed = hold.release()
        let twice = hold.release()
        #expect(next && !stays && resumed && !twice)
    }
}
