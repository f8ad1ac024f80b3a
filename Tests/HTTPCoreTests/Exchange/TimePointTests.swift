import Testing

@testable import HTTPCore

@Suite struct TimePointTests {
    @Test func `time goes by as it does for the library's clock`() {
        let (before, start) = (ContinuousClock.now, TimePoint.now)
        while TimePoint.now < start + .milliseconds(2) {}
        let passed = start.duration(to: .now)
        #expect(passed >= .milliseconds(2))
        #expect(passed <= before.duration(to: .now))
    }

    @Test func `a point of the library's clock stays the same there and back`() {
        let instant = ContinuousClock.now
        for duration in [Duration.zero, .nanoseconds(1), .seconds(-5), .seconds(86_400 * 365)] {
            #expect(TimePoint(instant + duration).instant == instant + duration)
            #expect(TimePoint(instant).duration(to: TimePoint(instant + duration)) == duration)
        }
    }

    @Test func `what is now by one clock is now by the other, and rather late than early`() {
        let before = TimePoint.now
        let now = TimePoint(.now)
        #expect(now >= before)
        #expect(now <= .now + .milliseconds(1))
    }

    @Test func `further than three centuries is as far as that, and no trap`() {
        let now = TimePoint.now
        let (end, beginning) = (now + .seconds(Int64.max), now + .seconds(Int64.min) + .seconds(Int64.min))
        #expect(end > now + .seconds(9_000_000_000))
        #expect(beginning < now + .seconds(-9_000_000_000))
        #expect(end + .seconds(1) == end)
        #expect(beginning + .seconds(-1) == beginning)
        #expect(beginning.span(to: end) > end.span(to: beginning))
        #expect(now.span(to: end) > TimeSpan(.seconds(9_000_000_000)))
    }

    @Test func `a span leaves out parts of a nanosecond`() {
        #expect(
            TimeSpan(.nanoseconds(7) + Duration(secondsComponent: 0, attosecondsComponent: 999_999_999))
                == .init(nanoseconds: 7))
        #expect(TimeSpan(.seconds(3)) == .seconds(3) && TimeSpan(.microseconds(3)) == .microseconds(3))
        #expect(TimeSpan.seconds(3).duration == .seconds(3))
    }
}
