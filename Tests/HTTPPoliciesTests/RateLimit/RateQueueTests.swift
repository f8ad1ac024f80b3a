import TestSupport
@testable import HTTPPolicies
import HTTPSupport
import Testing

/// The order of a queue without overtaking.
@Suite struct RateQueueTests {
    private typealias Queue = RateQueue<String>

    private let start = TimePoint.now

    private func go(_ queue: inout Queue, _ id: UInt64, at time: Duration) -> String?? {
        if case .go(let next) = queue.proceed(id, at: start + time) { .some(next) } else { nil }
    }

    @Test func `a newcomer waits behind earlier ones even if a token is there`() {
        var queue = Queue(RateLimit(1, per: .seconds(1), burst: 2))
        for name in ["first", "second"] {
            guard case .go = queue.arrive(name, at: start, deadline: nil) else { return unexpected("no token") }
        }
        guard case .wait(let first) = queue.arrive("a", at: start, deadline: nil) else {
            return unexpected("a token too many")
        }
        // There is a token for each, but "a" has not taken its own yet.
        guard case .wait(let second) = queue.arrive("newcomer", at: start + .seconds(2), deadline: nil) else {
            return unexpected("overtaken")
        }
        #expect(queue.count == 2)
        guard case .wait(until: nil) = queue.proceed(second, at: start + .seconds(2)) else {
            return unexpected("overtaken")
        }
        #expect(go(&queue, first, at: .seconds(2)) == .some("newcomer"))
        #expect(go(&queue, second, at: .seconds(2)) == .some(nil))
        #expect(queue.count == 0)
    }

    @Test func `each waiter takes its token`() {
        var queue = Queue(RateLimit(1, per: .seconds(1)))
        _ = queue.arrive("now", at: start, deadline: nil)
        for name in ["a", "b"] { _ = queue.arrive(name, at: start, deadline: nil) }
        #expect(go(&queue, 1, at: .seconds(1)) == .some("b"))
        guard case .wait(until: start + .seconds(2)) = queue.proceed(2, at: start + .seconds(1)) else {
            return unexpected("two for one token")
        }
    }

    @Test func `it equals a new queue when nobody waits and the bucket is full`() {
        var queue = Queue(RateLimit(1, per: .seconds(1)))
        #expect(queue.isIdle(at: start))
        _ = queue.arrive("now", at: start, deadline: nil)
        #expect(!queue.isIdle(at: start + .seconds(1) - .nanoseconds(1)))
        #expect(queue.isIdle(at: start + .seconds(1)))
        _ = queue.arrive("a", at: start, deadline: nil)
        #expect(!queue.isIdle(at: start + .seconds(5)))
    }
}
