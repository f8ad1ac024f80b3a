import HTTPSupport

extension Timeouts {
    package typealias Limit = TimeoutFailure.Limit

    /// The error when `limit` has passed, in a call that has to be over by `deadline`.
    package func failure(_ limit: Limit, by deadline: CallDeadline?, _ record: CallRecord) -> HTTPError {
        switch limit {
        case .connect: .timedOut(TimeoutFailure(limit, after: connect ?? .zero, record: record))
        case .idle: .timedOut(TimeoutFailure(limit, after: idle ?? .zero, record: record))
        case .total: .timedOut(deadline, record)
        }
    }
}

/// When an exchange has to be over, by each of its timeouts. A value over points in time: it reads no clock.
package struct Deadlines {
    private var connect: TimePoint?
    private let total: TimePoint?
    private let idleTime: TimeSpan?
    /// Counts only once connected.
    private var idle: TimePoint?
    private var isConnected = false
    /// Until when the body of a redirect is read for the sake of the connection, or an answered request is sent.
    private var drain: TimePoint?
    /// When the engine is made to look for more of the response, and how long it is left alone after that.
    private var look: TimePoint?
    private var lookTime = TimeSpan.microseconds(50_000)

    private static let drainTime = TimeSpan.microseconds(250_000)
    private static let standstill = TimeSpan.microseconds(1_000_000)

    /// For an exchange that starts `now` in a call that has to be over by `total`.
    package init(_ timeouts: Timeouts, now: TimePoint, total: TimePoint?) {
        connect = timeouts.connect.map { now + $0 }
        self.total = total
        idleTime = timeouts.idle.map(TimeSpan.init)
    }

    /// Connecting begins `now`.
    package mutating func restartConnecting(_ timeouts: Timeouts, at now: TimePoint) {
        connect = timeouts.connect.map { now + $0 }
    }

    /// `mayBeQuiet`: whether there is no idle limit from here on.
    package mutating func noteProgress(at now: TimePoint, isConnected: Bool, mayBeQuiet: Bool = false) {
        self.isConnected = isConnected
        guard isConnected, let idleTime else { return }
        idle = mayBeQuiet ? nil : now.advanced(by: idleTime)
    }

    /// The limit that has run out; nil while there is time.
    package func passed(at now: TimePoint) -> Timeouts.Limit? {
        if let total, now >= total { return .total }
        if !isConnected, let connect, now >= connect { return .connect }
        if isConnected, let idle, now >= idle { return .idle }
        return nil
    }

    /// Starts to drain the body of a redirect. It is read to its end, so that its connection can be reused, but only
    /// for a short time: a new connection costs less.
    package mutating func noteDraining(at now: TimePoint) { drain = drain ?? now.advanced(by: Self.drainTime) }

    /// Goes on sending a request whose whole response is there, as long as there is progress, which this is. Without any, the
    /// server is taken to want no more of it; behind a refusal, at once.
    package mutating func noteEarlyAnswer(at now: TimePoint, isRefusal: Bool) {
        drain = isRefusal ? now : now.advanced(by: Self.standstill)
    }

    /// As long as parts of a response come whose end may not be seen, the last one at `receipt`, more are waited for.
    package mutating func noteSilence(since receipt: TimePoint) { drain = receipt.advanced(by: Self.drainTime) }

    /// None of these waits goes on.
    package mutating func stopDraining() { drain = nil }

    /// Whether that has been long enough.
    package func isDrainOver(at now: TimePoint) -> Bool { drain.map { now >= $0 } ?? false }

    /// Progress, after which more of the response may come without being seen.
    package mutating func noteUnseen(at now: TimePoint) { look = now.advanced(by: lookTime) }

    /// Whether it is time to look for it: 50 ms after progress at first, and after each look twice as late, up to a second.
    package mutating func takeLook(at now: TimePoint) -> Bool {
        guard let look, now >= look else { return false }
        lookTime = min(lookTime + lookTime, Self.standstill)
        self.look = now.advanced(by: lookTime)
        return true
    }

    /// When the next limit runs out, draining ends or a look is due; nil if none will.
    package var next: TimePoint? { Self.earlier(Self.earlier(nextLimit, drain), look) }

    private var nextLimit: TimePoint? { Self.earlier(total, isConnected ? idle : connect) }

    @inline(__always)
    private static func earlier(_ one: TimePoint?, _ other: TimePoint?) -> TimePoint? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// How long to wait for events: until the next deadline, rounded up so that it has passed by then, and 1 s at most,
    /// should a wake-up be lost.
    package static func pollMilliseconds(until next: TimePoint?, at now: TimePoint) -> Int32 {
        let left = next.map { max(.zero, min(.seconds(1), now.span(to: $0))) } ?? .seconds(1)
        return Int32((left.nanoseconds + 999_999) / 1_000_000)
    }

    package func pollMilliseconds(at now: TimePoint) -> Int32 { Self.pollMilliseconds(until: next, at: now) }
}
