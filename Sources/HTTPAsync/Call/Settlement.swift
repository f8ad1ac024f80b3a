import HTTPSupport

/// How a caller gets the outcome of its call.
enum Completion<Value: Sendable>: Sendable {
    /// Takes the outcome out of the settlement once it is resumed.
    case task(UnsafeContinuation<Void, Never>)
    case callback(CallbackQueue, @Sendable (Result<Value, HTTPError>) -> Void)
    /// Code of this package, which takes no time.
    case report(@Sendable (Result<Value, HTTPError>) -> Void)
}

/// The code around the end of a call, from which a callback that runs on the same thread inherits nothing.
enum Ender {
    case nobody
    /// The call that it was made in: it keeps the place in that call.
    case ownCall
    /// A canceller, for example.
    case others
}

/// A call as its caller has it: what the dispatcher does, and what comes of that.
struct AwaitedCall<Work: CallWork>: Sendable {
    let job: Job<Work>
    let settlement: Settlement<Work.Value>
}

/// What the caller of a call waits for: the first outcome, by callback or as the value of a task. It knows nothing of
/// slots and threads, and leaves the token around the call when there is an outcome.
struct Settlement<Value: Sendable>: Sendable {
    private struct State {
        /// Nil without a caller, before the submission of an awaited call, and once there is an outcome.
        var completion: Completion<Value>?
        /// Set only if a task waits for it. It is stored here, because the task's frame would hold it, in several
        /// places, until the call ends.
        var outcome: Result<Value, HTTPError>?
        var parent: CancellationToken.Registration?
    }

    private let state: Locked<State>
    /// Whether the outcome runs none of the caller's code on the thread that has it.
    let isPrompt: Bool

    /// A task that waits is named later, by `resume`.
    init(_ completion: Completion<Value>?) {
        state = Locked(State(completion: completion))
        isPrompt = if case .callback(let queue, _) = completion { !queue.isImmediate } else { true }
    }

    /// Before the submission.
    func resume(_ task: UnsafeContinuation<Void, Never>) { state.withLock { $0.completion = .task(task) } }

    /// Calls `cancel` when `token` is cancelled before there is an outcome. Before the submission.
    func follow(_ token: CancellationToken, _ cancel: @escaping @Sendable () -> Void) {
        // Outside the lock: a token that is cancelled already calls at once.
        let registration = token.onCancel(cancel)
        state.withLock { $0.parent = registration }
    }

    func settle(with outcome: Result<Value, HTTPError>, from ender: Ender) {
        let (completion, parent) = state.withLock { state in
            if case .task = state.completion { state.outcome = outcome }
            return (state.completion.take(), state.parent.take())
        }
        // The token may outlive many calls, and the callback may retain the caller's objects.
        parent?.remove()
        switch completion {
        case .task(let task): task.resume()
        case .report(let report): report(outcome)
        case .callback(let queue, let callback):
            let run = { @Sendable in queue.run { callback(outcome) } }
            switch queue.isImmediate ? ender : .nobody {
            case .nobody: run()
            case .ownCall: Surroundings.unbind(run)
            case .others: Surroundings.leave(run)
            }
        case nil: break
        }
    }

    /// For the resumed task, which calls this once. Not inlined into the task's function, whose frame would grow by the
    /// copies.
    @inline(never)
    func value() throws(HTTPError) -> Value {
        // There is always an outcome: nothing else resumes the task.
        try (state.withLock { $0.outcome.take() } ?? .failure(.cancelled(nil))).get()
    }
}
