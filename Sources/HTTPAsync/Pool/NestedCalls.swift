import HTTPSupport
import Synchronization

/// Calls made within a call, on its thread. They use the slot that is already taken, so they cannot wait for one.
///
/// A callback may make further calls and wait for them, and their callbacks, too. A chain of such callbacks must not
/// exhaust the stack: beyond a depth, helpers continue, which are threads without slots. The call does not end before
/// the calls within it have.
///
/// Only the worker's own thread uses it; its helpers share what is postponed.
final class NestedCalls: Sendable {
    /// The largest number of nested callbacks on a thread.
    private static let callbackLimit = 16

    private let callbacks = Atomic(0)
    private let postponed: PostponedCalls
    /// Whether they are made within a call of another worker, whose slot serves for them.
    let isHelper: Bool

    /// Those of a worker, or of a helper that shares `calls` with its own.
    init(sharing calls: NestedCalls? = nil) {
        postponed = calls?.postponed ?? PostponedCalls()
        isHelper = calls != nil
    }

    /// Makes `call` at once; within too many callbacks, a helper makes it.
    func run(_ call: any DispatchedJob, on worker: Worker) {
        let outer = callbacks.load(ordering: .relaxed)
        guard outer < Self.callbackLimit else {
            postponed.add(call)
            return worker.pool.callbacks.runAtOnce { [postponed] in
                // The system refused a thread, and this is the worker's own: it makes the call later.
                guard Worker.current == nil else { return }
                postponed.help { call in
                    let helper = Worker(pool: worker.pool, helping: worker)
                    ThreadRole.run(as: helper) { helper.nested.make(call, within: 0, hasWaited: true) }
                }
            }
        }
        make(call, within: outer, hasWaited: false)
        guard outer == 0, !isHelper else { return }
        postponed.finish { make($0, within: 0, hasWaited: true) }
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

/// The nested calls of one call that its helpers make, or its own thread once it is back from the callbacks.
private final class PostponedCalls: Sendable {
    private struct State {
        var calls = Queue<any DispatchedJob>()
        /// The number of calls that helpers are making.
        var helped = 0
    }

    private let state = Locked(State())
    /// Signalled after each change that the owner may wait for.
    private let wakeup = Semaphore()

    func add(_ call: any DispatchedJob) {
        state.withLock { $0.calls.append(call) }
        wakeup.signal()
    }

    /// Makes the first call on a helper's thread, unless another thread was faster.
    func help(_ make: (any DispatchedJob) -> Void) {
        let call = state.withLock { state in
            let call = state.calls.popFirst()
            if call != nil { state.helped += 1 }
            return call
        }
        guard let call else { return }
        make(call)
        state.withLock { $0.helped -= 1 }
        wakeup.signal()
    }

    /// Makes the calls on the owner's thread, until none is left and no helper is making one.
    func finish(_ make: (any DispatchedJob) -> Void) {
        while true {
            let (call, isOver) = state.withLock { state in
                let call = state.calls.popFirst()
                return (call, call == nil && state.helped == 0)
            }
            if isOver { return }
            if let call { make(call) } else { wakeup.wait() }
        }
    }
}
