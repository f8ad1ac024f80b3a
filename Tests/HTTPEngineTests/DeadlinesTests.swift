import HTTPEngine
import HTTPSupport
import Testing

import HTTPCore

/// Points in time only, without a clock.
@Suite struct DeadlinesTests {
    private let start = TimePoint.now

    private func deadlines(
        connect: Duration? = .seconds(10), idle: Duration? = .seconds(30), total: Duration? = .seconds(60),
        after earlier: Duration = .zero
    ) -> Deadlines {
        Deadlines(
            Timeouts(connect: connect, idle: idle, total: total), now: start, total: total.map { start + $0 - earlier })
    }

    @Test func `at the start no limit has expired`() {
        #expect(deadlines().passed(at: start) == nil)
    }

    @Test func `the connect limit counts until connected`() {
        var deadlines = deadlines()
        #expect(deadlines.passed(at: start + .seconds(10) - .nanoseconds(1)) == nil)
        #expect(deadlines.passed(at: start + .seconds(10)) == .connect)
        deadlines.noteProgress(at: start + .seconds(9), isConnected: false)
        #expect(deadlines.passed(at: start + .seconds(10)) == .connect, "progress does not extend it")
        deadlines.noteProgress(at: start + .seconds(9), isConnected: true)
        #expect(deadlines.passed(at: start + .seconds(20)) == nil)
    }

    @Test func `progress moves the next limit`() {
        var deadlines = deadlines()
        deadlines.noteProgress(at: start, isConnected: false)
        #expect(deadlines.next == start + .seconds(10))
        deadlines.noteProgress(at: start + .seconds(5), isConnected: true)
        #expect(deadlines.next == start + .seconds(35))
        var unlimited = self.deadlines(idle: nil)
        unlimited.noteProgress(at: start, isConnected: true)
        #expect(unlimited.next == start + .seconds(60))
    }

    @Test func `the idle limit counts from the last progress once connected`() {
        var deadlines = deadlines(connect: nil)
        #expect(deadlines.passed(at: start + .seconds(31)) == nil)
        deadlines.noteProgress(at: start + .seconds(5), isConnected: true)
        #expect(deadlines.passed(at: start + .seconds(35) - .nanoseconds(1)) == nil)
        #expect(deadlines.passed(at: start + .seconds(35)) == .idle)
        deadlines.noteProgress(at: start + .seconds(20), isConnected: true)
        #expect(deadlines.passed(at: start + .seconds(35)) == nil)
        #expect(deadlines.passed(at: start + .seconds(50)) == .idle)
    }

    @Test func `what may be quiet has no idle limit from there on, and the total remains`() {
        var deadlines = deadlines(connect: nil)
        deadlines.noteProgress(at: start, isConnected: true)
        #expect(deadlines.passed(at: start + .seconds(30)) == .idle)
        deadlines.noteProgress(at: start + .seconds(1), isConnected: true, mayBeQuiet: true)
        #expect(deadlines.passed(at: start + .seconds(59)) == nil)
        #expect(deadlines.passed(at: start + .seconds(60)) == .total)
    }

    @Test func `the total counts from the start of the call, not of the exchange`() {
        #expect(deadlines(after: .seconds(59)).passed(at: start + .milliseconds(999)) == nil)
        #expect(deadlines(after: .seconds(59)).passed(at: start + .seconds(1)) == .total)
        var late = deadlines(connect: .seconds(60), after: .zero)
        #expect(late.passed(at: start + .seconds(60)) == .total, "the total outranks the others")
        late.noteProgress(at: start + .seconds(30), isConnected: true)
        #expect(late.passed(at: start + .seconds(60)) == .total)
    }

    @Test func `without limits nothing ever expires`() {
        var deadlines = deadlines(connect: nil, idle: nil, total: nil)
        #expect(deadlines.passed(at: start + .seconds(1_000_000)) == nil)
        #expect(deadlines.pollMilliseconds(at: start) == 1000)
        deadlines.noteProgress(at: start, isConnected: true)
        #expect(deadlines.passed(at: start + .seconds(1_000_000)) == nil)
    }

    @Test(
        arguments: [
            (Duration.milliseconds(5), 5), (.nanoseconds(1), 1), (.microseconds(1500), 2), (.seconds(1), 1000),
            (.milliseconds(1001), 1000), (.seconds(3600), 1000),
        ] as [(Duration, Int32)])
    func `a wait ends at the next deadline, rounded up, and after a second at most`(limit: Duration, expected: Int32) {
        #expect(deadlines(connect: limit, total: nil).pollMilliseconds(at: start) == expected)
        #expect(deadlines(connect: nil, total: limit).pollMilliseconds(at: start) == expected)
        var idle = deadlines(connect: nil, idle: limit, total: nil)
        idle.noteProgress(at: start, isConnected: true)
        #expect(idle.pollMilliseconds(at: start) == expected)
    }

    @Test func `a passed deadline is not waited for`() {
        #expect(deadlines(connect: .milliseconds(1)).pollMilliseconds(at: start + .seconds(5)) == 0)
        #expect(deadlines(after: .seconds(100)).pollMilliseconds(at: start) == 0)
    }

    @Test func `limits beyond any clock are harmless`() {
        var deadlines = deadlines(
            connect: .seconds(Int64.max), idle: .seconds(Int64.max), total: .seconds(Int64.max), after: .seconds(1))
        deadlines.noteProgress(at: start, isConnected: true)
        #expect(deadlines.passed(at: start + .seconds(1_000_000)) == nil)
        #expect(deadlines.pollMilliseconds(at: start) == 1000)
    }

    @Test func `the body of a redirect is drained for a quarter of a second from its first byte`() {
        var deadlines = deadlines(total: .seconds(60))
        let now = start
        #expect(!deadlines.isDrainOver(at: now.advanced(by: .seconds(59))))
        deadlines.noteDraining(at: now)
        deadlines.noteDraining(at: now.advanced(by: .microseconds(200_000)))
        #expect(deadlines.next == now.advanced(by: .microseconds(250_000)))
        #expect(!deadlines.isDrainOver(at: now.advanced(by: .microseconds(249_999))))
        #expect(deadlines.isDrainOver(at: now.advanced(by: .microseconds(250_000))))
    }

    @Test func `a request with a whole answer is sent as long as it makes progress, and a second`() {
        var deadlines = deadlines(total: .seconds(60))
        let now = start
        deadlines.noteEarlyAnswer(at: now, isRefusal: false)
        let later = now.advanced(by: .microseconds(900_000))
        deadlines.noteEarlyAnswer(at: later, isRefusal: false)
        #expect(deadlines.next == later.advanced(by: .microseconds(1_000_000)))
        #expect(!deadlines.isDrainOver(at: later.advanced(by: .microseconds(999_999))))
        #expect(deadlines.isDrainOver(at: later.advanced(by: .microseconds(1_000_000))))
        deadlines.noteEarlyAnswer(at: later, isRefusal: true)
        #expect(deadlines.isDrainOver(at: later))
    }

    @Test func `looks for bytes that may not be seen come ever later, up to a second, and progress delays them`() {
        var deadlines = deadlines(idle: nil, total: nil)
        func looks(at instant: TimePoint) -> Bool { deadlines.takeLook(at: instant) }
        var now = start
        #expect(!looks(at: now.advanced(by: .seconds(60))))
        deadlines.noteProgress(at: now, isConnected: true)
        deadlines.noteUnseen(at: now)
        for milliseconds in [50, 100, 200, 400, 800, 1000, 1000] as [Int64] {
            let due = now.advanced(by: .microseconds(milliseconds * 1000))
            #expect(deadlines.next == due)
            #expect(!looks(at: due.advanced(by: .microseconds(-1))))
            #expect(looks(at: due) && !looks(at: due))
            now = due
        }
        deadlines.noteUnseen(at: now.advanced(by: .microseconds(1000)))
        #expect(deadlines.next == now.advanced(by: .microseconds(1_001_000)))
    }
}
