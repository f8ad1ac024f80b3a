import Dispatch
import HTTPAsync
import HTTPCore

/// What is to happen at a certain time, unless it is called off.
final class Alarm: Sendable {
    private struct Pending {
        let timer: any DispatchSourceTimer
        let action: @Sendable () -> Void
    }

    private let pending = Locked<Pending?>(nil)

    init(at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
        pending.withLock { [pending] place in
            // A queue of its own, for a slow action must not hold up another; serial, for such a queue gets a thread also
            // while all of the global queue's are blocked.
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "straightline.alarm"))
            timer.setEventHandler { pending.withLock { $0.take() }?.action() }
            timer.schedule(deadline: .now() + ContinuousClock.now.duration(to: deadline).interval)
            timer.activate()
            place = Pending(timer: timer, action: action)
        }
    }

    /// Lets go of the action at once. It may be running already.
    func cancel() { pending.withLock { $0.take() }?.timer.cancel() }
}
