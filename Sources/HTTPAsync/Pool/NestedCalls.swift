import HTTPCore
import Synchronization

/// The calls made within a call, on its thread: in a slot that is taken already, so that they cannot wait for one.
///
/// Only the worker's own thread touches it.
final class NestedCalls: Sendable {
    private let isTelling = Atomic(false)
    private let postponed = Locked<[any Dispatchable]>([])

    /// Makes `call`, here and now. One that another's callback makes is put off until that callback has returned:
    /// otherwise a chain of calls, each made by the callback of the last, would use up the stack.
    func run(_ call: any Dispatchable) {
        guard !isTelling.load(ordering: .relaxed) else { return postponed.withLock { $0.append(call) } }
        make(call)
        while let next = postponed.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { make(next) }
    }

    private func make(_ call: any Dispatchable) {
        guard !call.isCancelled else { return tell { call.end(.cancelledInQueue) } }
        call.run(hasWaited: false) { isTelling.store(true, ordering: .relaxed) }
        isTelling.store(false, ordering: .relaxed)
    }

    private func tell(_ outcome: () -> Void) {
        isTelling.store(true, ordering: .relaxed)
        outcome()
        isTelling.store(false, ordering: .relaxed)
    }
}
