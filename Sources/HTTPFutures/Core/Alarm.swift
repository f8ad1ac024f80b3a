import Dispatch
import HTTPAsync
import HTTPCore

/// An action at a certain time, which can be cancelled.
final class Alarm: Sendable {
    private struct Pending {
        let timer: any DispatchSourceTimer
        let action: @Sendable () -> Void
    }

    private let pending = Locked<Pending?>(nil)

    init(at deadline: TimePoint, _ action: @escaping @Sendable () -> Void) {
        pending.withLock { [pending] place in
            // A queue of its own, so that a slow action does not delay another. Serial, because such a queue gets a
            // thread even while all threads of the global queue are blocked.
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "straightline.alarm"))
            timer.setEventHandler { pending.withLock { $0.take() }?.action() }
            timer.schedule(deadline: .now() + TimePoint.now.duration(to: deadline).interval)
            timer.activate()
            place = Pending(timer: timer, action: action)
        }
    }

    /// Releases the action at once. It may already be running.
    func cancel() { pending.withLock { $0.take() }?.timer.cancel() }
}
