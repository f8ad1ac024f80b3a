import HTTPCore
import Synchronization

/// Calls made within a call, on its thread. They use the slot that is already taken, so they cannot wait for one.
///
/// Only the worker's own thread uses it.
final class NestedCalls: Sendable {
    /// The largest number of nested callbacks. A callback may wait for a call that it makes; a chain of such calls must
    /// not exhaust the stack.
    private static let callbackLimit = 16

    private let callbacks = Atomic(0)
    private let postponed = Locked<[any DispatchedJob]>([])

    /// Makes `call` at once; within too many callbacks, after they have returned.
    func run(_ call: any DispatchedJob) {
        let outer = callbacks.load(ordering: .relaxed)
        guard outer < Self.callbackLimit else { return postponed.withLock { $0.append(call) } }
        make(call, within: outer, hasWaited: false)
        guard outer == 0 else { return }
        while runPostponed() {}
    }

    /// Makes the first deferred call; false if there is none. In a waiting callback it runs further down the stack.
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
