import HTTPSupport
import HTTPCore

/// A clock that only a test advances.
package final class TestClock: Sendable {
    private struct Sleeper {
        let id: Int
        let signal: Signal
        let end: TimePoint
        let elapsed: Locked<Bool>
    }

    private struct State {
        var now: TimePoint
        var sleepers: [Sleeper] = []
        var slept: [Duration] = []
        var nextID = 0
    }

    private let state: Locked<State>
    private let isManual: Bool
    private let start: TimePoint
    /// Signalled when a thread has gone to sleep until a time.
    package let asleep = Tally()

    /// `manual`: sleepers wait for `advance`. Otherwise sleeping advances the clock and takes no time.
    package init(manual: Bool = false) {
        isManual = manual
        start = .now
        state = Locked(State(now: start))
    }

    /// The requested duration of each wait.
    package var slept: [Duration] { state.withLock { $0.slept } }
    package var elapsed: Duration { start.duration(to: now) }
    package var now: TimePoint { state.withLock { $0.now } }

    package func advance(by time: Duration) {
        let due = state.withLock { state in
            state.now = state.now + time
            let due = state.sleepers.filter { [now = state.now] in $0.end <= now }
            state.sleepers.removeAll { [now = state.now] in $0.end <= now }
            return due
        }
        for sleeper in due {
            sleeper.elapsed.withLock { $0 = true }
            sleeper.signal.fire()
        }
    }

    /// `client`, with this clock for its interceptors.
    package func around(_ client: any HTTPClient) -> any HTTPClient {
        TestClockClient(client: client, clock: callClock)
    }

    package var callClock: CallClock {
        CallClock(now: { self.now }, unixTime: { 784_111_777 }, sleep: { self.sleep($0, until: $1, within: $2) })
    }

    private func sleep(_ signal: Signal, until end: TimePoint?, within deadline: TimePoint?)
        -> Bool
    {
        guard let end = [end, deadline].compactMap(\.self).min() else { return signal.wait() }
        if signal.wait(until: .now) { return true }
        let elapsed = Locked(false)
        let id: Int? = state.withLock { state in
            state.slept.append(state.now.duration(to: end))
            guard isManual else {
                state.now = max(state.now, end)
                return nil
            }
            guard end > state.now else { return nil }
            state.nextID += 1
            state.sleepers.append(Sleeper(id: state.nextID, signal: signal, end: end, elapsed: elapsed))
            return state.nextID
        }
        guard let id else { return false }
        asleep.add()
        _ = signal.wait()
        state.withLock { state in state.sleepers.removeAll { $0.id == id } }
        return !elapsed.withLock { $0 }
    }
}

private struct TestClockClient: ClockedClient {
    package let client: any HTTPClient
    package let clock: CallClock

    @available(*, noasync)
    package func executeRequest(_ request: Request) -> Result<Response, HTTPError> { client.executeRequest(request) }
}
