import HTTPSupport
import HTTPCore
import Testing

@Suite struct CallDeadlineTests {
    @Test(arguments: [Duration.zero, .nanoseconds(1), .seconds(-5), .milliseconds(1500), .seconds(1_000_000_000)])
    func `it is the start plus the allowance`(_ allowance: Duration) {
        let start = ContinuousClock.now
        let deadline = CallDeadline(allowance, from: start)
        #expect(deadline.instant == start + allowance)
        #expect(deadline.allowance == allowance)
        #expect(deadline == CallDeadline(allowance, from: start))
        #expect(deadline != CallDeadline(allowance, from: start + .nanoseconds(1)))
    }

    @Test func `the earlier one counts, in any order`() {
        let start = ContinuousClock.now
        let first = CallDeadline(.seconds(3), from: start)
        let second = CallDeadline(.seconds(2), from: start + .milliseconds(1001))
        #expect(CallDeadline.earlier(first, second) == first)
        #expect(CallDeadline.earlier(second, first) == first)
        #expect(CallDeadline.earlier(nil, second) == second)
        #expect(CallDeadline.earlier(first, nil) == first)
        #expect(CallDeadline.earlier(nil, nil) == nil)
    }

    @Test func `of a simulated one and one of the system's clock the simulated one counts`() {
        let start = TimePoint.now
        for ahead in [Duration.seconds(-5), .seconds(5)] {
            let real = CallDeadline(.seconds(10), from: start)
            let simulated = CallDeadline(.seconds(10), at: real.point + ahead, isSimulated: true)
            #expect(CallDeadline.earlier(real, simulated) == simulated)
            #expect(CallDeadline.earlier(simulated, real) == simulated)
            #expect(simulated != CallDeadline(.seconds(10), at: real.point + ahead, isSimulated: false))
        }
    }

    @Test func `of two simulated ones the earlier counts`() {
        let start = TimePoint.now
        let first = CallDeadline(.seconds(10), at: start, isSimulated: true)
        let second = CallDeadline(.seconds(1), at: start + .seconds(1), isSimulated: true)
        #expect(CallDeadline.earlier(first, second) == first)
        #expect(CallDeadline.earlier(second, first) == first)
    }

    @Test func `of nested ones the earlier counts, each only within its scope`() {
        let first = CallDeadline(.seconds(10))
        let second = CallDeadline(.seconds(20))
        #expect(CallDeadline.current == nil)
        first.run {
            #expect(CallDeadline.current == first)
            #expect(second.run { CallDeadline.current } == first)
            #expect(CallDeadline.current == first)
        }
        second.run {
            #expect(first.run { CallDeadline.current } == first)
            #expect(CallDeadline.current == second)
        }
        #expect(CallDeadline.current == nil)
    }

    @Test func `without a deadline, that around it stays`() throws {
        let outer = CallDeadline(.seconds(10))
        let missing = CallDeadline?.none
        #expect(missing.run { CallDeadline.current } == nil)
        #expect(outer.run { missing.run { CallDeadline.current } } == outer)
        let given: CallDeadline? = CallDeadline(.seconds(5))
        #expect(outer.run { given.run { CallDeadline.current } } == given)
        #expect(throws: Unsupported("a", "b")) {
            try missing.run { () throws(Unsupported) in throw Unsupported("a", "b") }
        }
    }

    @Test func `a thrown error passes through, and ends the scope of the deadline`() {
        #expect(throws: Unsupported("a", "b")) {
            try CallDeadline(.seconds(10)).run { () throws(Unsupported) in throw Unsupported("a", "b") }
        }
        #expect(CallDeadline.current == nil)
    }

    @Test func `a call ends by its own timeout or by the deadline around it`() {
        let start = TimePoint.now
        let limited = Timeouts(total: .seconds(10))
        let own = limited.ownDeadline(from: start)
        #expect(own?.instant == start.instant + .seconds(10) && own?.allowance == .seconds(10))
        let unlimited = Timeouts(total: nil)
        #expect(limited.deadline(from: start) == own)
        #expect(unlimited.deadline(from: start) == nil)
        let earlier = CallDeadline(.seconds(9), from: start)
        earlier.run {
            #expect(limited.deadline(from: start) == earlier)
            #expect(unlimited.deadline(from: start) == earlier)
        }
        CallDeadline(.seconds(11), from: start).run { #expect(limited.deadline(from: start) == own) }
    }
}
