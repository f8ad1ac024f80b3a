import HTTPCore
import Testing

@Suite struct CallDeadlineTests {
    @Test(arguments: [Duration.zero, .nanoseconds(1), .seconds(-5), .milliseconds(1500), .seconds(1_000_000_000)])
    func `it is the start and what there is from then on`(_ allowance: Duration) {
        let start = ContinuousClock.now
        let deadline = CallDeadline(allowance, from: start)
        #expect(deadline.instant == start + allowance)
        #expect(deadline.allowance == allowance)
        #expect(deadline == CallDeadline(allowance, from: start))
        #expect(deadline != CallDeadline(allowance, from: start + .nanoseconds(1)))
    }

    @Test func `the one that comes first counts, whichever is named first`() {
        let start = ContinuousClock.now
        let first = CallDeadline(.seconds(3), from: start)
        let second = CallDeadline(.seconds(2), from: start + .milliseconds(1001))
        #expect(CallDeadline.earlier(first, second) == first)
        #expect(CallDeadline.earlier(second, first) == first)
        #expect(CallDeadline.earlier(nil, second) == second)
        #expect(CallDeadline.earlier(first, nil) == first)
        #expect(CallDeadline.earlier(nil, nil) == nil)
    }
}
