import HTTPCore
import Synchronization

/// The calls made within a call, on its thread: in a slot that is taken already, so that they cannot wait for one.
///
/// Only the worker's own thread touches it.
final class NestedCalls: Sendable {
    /// How many callbacks may be under way within one another. A callback may wait for a call that it makes; a chain of
    /// calls, each made by the callback of the last, must not use up the stack.
    private static let callbackLimit = 16

    private let callbacks = Atomic(0)
    private let postponed = Locked<[any DispatchedJob]>([])

    /// Makes `call`, here and now; or, within too many callbacks, when they have returned.
    func run(_ call: any DispatchedJob) {
        let outer = callbacks.load(ordering: .relaxed)
        guard outer < Self.callbackLimit else { return postponed.withLock { $0.append(call) } }
        make(call, within: outer, hasWaited: false)
        guard outer == 0 else { return }
        while runPostponed() {}
    }

    /// Makes the first of those that were put off; false if there is none. Where a callback waits, it is one stack further
    /// down.
    func runPostponed() -> Bool {
        guard let next = postponed.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
        let outer = callbacks.exchange(0, ordering: .relaxed)
        defer { callbacks.store(outer, ordering: .relaxed) }
        make(next, within: 0, hasWaited: true)
        return true
    }

    private func make(_ call: any DispatchedJob, within outer: Int, hasWaited: Bool) {
        defer { callbacks.store(outer, ordering: .relaxed) }
        guard !call.isCancelled else {
            callbacks.store(outer + 1, ordering: .relaxed)
            return call.end(.cancelledInQueue)
        }
        call.run(hasWaited: hasWaited) { callbacks.store(outer + 1, ordering: .relaxed) }
    }
}
