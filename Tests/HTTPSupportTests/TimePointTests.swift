import HTTPSupport
import TestSupport
import Testing

@Suite struct TimePointTests {
    @Test func `it runs like the library's clock`() {
        let (before, start) = (ContinuousClock.now, TimePoint.now)
        while TimePoint.now < start + .milliseconds(2) {}
        let passed = start.duration(to: .now)
        #expect(passed >= .milliseconds(2))
        #expect(passed <= before.duration(to: .now))
    }

    @Test func `a point of the library's clock survives conversion in both directions`() {
        let instant = ContinuousClock.now
        for duration in [Duration.zero, .nanoseconds(1), .seconds(-5), .seconds(86_400 * 365)] {
            #expect(TimePoint(instant + duration).instant == instant + duration)
            #expect(TimePoint(instant).duration(to: TimePoint(instant + duration)) == duration)
        }
    }

    @Test func `the current time is the same by both clocks, and never early`() {
        let before = TimePoint.now
        let now = TimePoint(.now)
        #expect(now >= before)
        #expect(now <= .now + .milliseconds(1))
    }

    @Test func `points beyond three centuries are clamped`() {
        let now = TimePoint.now
        let (end, beginning) = (now + .seconds(Int64.max), now + .seconds(Int64.min) + .seconds(Int64.min))
        #expect(end > now + .seconds(9_000_000_000))
        #expect(beginning < now + .seconds(-9_000_000_000))
        #expect(end + .seconds(1) == end)
        #expect(beginning + .seconds(-1) == beginning)
        #expect(beginning.span(to: end) > end.span(to: beginning))
        #expect(now.span(to: end) > TimeSpan(.seconds(9_000_000_000)))
    }

    @Test func `sums and differences of spans are clamped`() {
        let (longest, least) = (TimeSpan(nanoseconds: .max), TimeSpan(nanoseconds: .min))
        #expect(TimeSpan.seconds(3) + .seconds(-1) == .seconds(2) && TimeSpan.seconds(3) - .seconds(5) == .seconds(-2))
        #expect(longest + .seconds(1) == longest && least + .seconds(-1) == least)
        #expect(longest - .seconds(-1) == longest && least - .seconds(1) == least && TimeSpan.zero - least == longest)
    }

    @Test func `a span drops fractions of a nanosecond`() {
        #expect(
            TimeSpan(.nanoseconds(7) + Duration(secondsComponent: 0, attosecondsComponent: 999_999_999))
                == .init(nanoseconds: 7))
        #expect(TimeSpan(.seconds(3)) == .seconds(3) && TimeSpan(.microseconds(3)) == .microseconds(3))
        #expect(TimeSpan.seconds(3).duration == .seconds(3))
    }

    @Test func `a span of any duration is its whole nanoseconds, or the nearest that there is`() {
        let nanosecond: Int128 = 1_000_000_000
        let edges = [0, nanosecond, Int128(UInt64.max) << 9, Int128(Int64.max) * nanosecond, Int128.max / 2]
        let random = (0..<100_000).map { _ in Int128.random(in: .min ... .max) >> Int128.random(in: 1...126) }
        for edge in edges.flatMap({ [$0, -$0] }) + random {
            for attoseconds in [edge - 1, edge, edge + 1, edge + nanosecond - 1] {
                let span = TimeSpan(Duration(attoseconds: attoseconds))
                guard span.nanoseconds == Int64(clamping: attoseconds / nanosecond) else {
                    return unexpected("\(attoseconds) as is \(span.nanoseconds) ns")
                }
            }
        }
    }
}
