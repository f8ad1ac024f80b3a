public import HTTPFoundation
import HTTPSupport

/// Time that passes only when something waits for it, and then at once.
///
/// Every `StubClient` with routes has one, which the clients around it use too: for waits of `.retry()` and
/// `.rateLimit()`, durations of answers, and timeouts of requests. Their tests do not sleep.
///
///     let stub = StubClient().on(.get, "/news", answer: .status(503).then(.text("calm")))
///     let client = stub.intercepted(by: .retry())
///     …
///     #expect(stub.time.waits.count == 1)
///
/// Any thread may use it. Each wait advances it to the end of that wait, so of two overlapping waits the second takes
/// only the rest.
///
/// A call that waits for another one, by a `PolicySignal`, really waits. If nothing comes of it within 20 seconds, nothing
/// will: then the time advances to the call's deadline, and a call without one fails.
public final class SimulatedTime: Sendable {
    struct State {
        var now: TimePoint
        var waits: [Duration] = []
    }

    private let start: TimePoint
    private let startDate: Double
    private let state: WatchedState<State>

    /// A new clock.
    ///
    /// - Parameter date: Its initial wall-clock time, for answers whose Retry-After is a date. By
    ///   default the example of RFC 9110: Sun, 06 Nov 1994 08:49:37 GMT.
    public init(startingAt date: Date = Date(timeIntervalSince1970: 784_111_777)) {
        start = .now
        startDate = date.timeIntervalSince1970
        state = WatchedState(State(now: start))
    }

    /// The time since the start.
    public var elapsed: Duration { start.duration(to: now) }

    /// The requested duration of each wait of an interceptor, in order of their start, without the durations of
    /// answers.
    public var waits: [Duration] { state.read { $0.waits } }

    /// Advances the time: tokens expire, and calls time out. A negative duration has no effect.
    public func advance(by time: Duration) { state.change { $0.now = max($0.now, $0.now + time) } }
}

extension SimulatedTime {
    var now: TimePoint { state.read { $0.now } }

    package var clock: CallClock {
        CallClock(
            now: { self.now }, unixTime: { self.startDate + self.elapsed / .seconds(1) },
            sleep: { self.sleep($0, until: $1, within: $2) }, isSimulated: true)
    }

    /// Advances it to `end`, unless it is already there.
    func reach(_ end: TimePoint) { state.change { $0.now = max($0.now, end) } }

    /// Whether the signal has fired.
    private func sleep(_ signal: Signal, until end: TimePoint?, within deadline: TimePoint?) -> Bool {
        guard let aim = end else { return waitForOthers(signal, within: deadline) }
        let end = min(aim, deadline ?? aim)
        if signal.wait(until: .now) { return true }
        state.change { state in
            // Another thread may have passed its end.
            state.waits.append(max(state.now.duration(to: end), .zero))
            state.now = max(state.now, end)
        }
        return false
    }

    /// The real time that a call waits for another.
    private static let limit = Duration.seconds(20)

    /// Waits for another thread: only others advance the time.
    private func waitForOthers(_ signal: Signal, within deadline: TimePoint?) -> Bool {
        let end = TimePoint.now + Self.limit
        guard let deadline else { return signal.wait(until: end) }
        let alarm = setAlarm(at: deadline, signal)
        defer { removeAlarm(alarm) }
        if !signal.wait(until: end) { reach(deadline) }
        return now < deadline
    }

    /// Fires `signal` at that time, unless it is withdrawn before.
    func setAlarm(at end: TimePoint, _ signal: Signal) -> WatchedState<State>.Waiter {
        state.add(wake: signal.fire) { $0.now >= end }
    }

    func removeAlarm(_ alarm: WatchedState<State>.Waiter) { state.remove(alarm) }

    /// Runs `work`, which uses the system's clock, with a deadline as far away there as the current one is here.
    func leave<Value>(_ work: () -> Value) -> Value {
        guard let deadline = CallDeadline.current, deadline.isSimulated else { return work() }
        let real = deadline.at(.now + now.duration(to: deadline.point), isSimulated: false)
        return CallDeadline.$current.withValue(real) { work() }
    }
}
