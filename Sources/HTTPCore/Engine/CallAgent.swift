/// A call that one thread makes together with others, seen from that thread.
package protocol LoopCall: AnyObject {
    var isCancelled: Bool { get }

    /// Called once, on that thread: whatever takes time holds all others up.
    func finish(_ result: consuming Result<Response, HTTPError>)
}

/// A call that is handed in from any thread.
package protocol SubmittedCall: LoopCall, Sendable {
    var request: Request { get }
    /// By when it has to be over.
    var deadline: CallDeadline? { get }
}

/// Takes calls from any thread and makes them on one, in a loop that ends when there was nothing to do for a while.
package protocol CallAgent: AnyObject, Sendable {
    /// Takes `call`. True when no thread drives the agent: then one has to be sent to `drive`.
    func submit(_ call: any SubmittedCall) -> Bool

    /// Has the driving thread look which of its calls are cancelled.
    func noteCancellation()

    /// Makes calls on this thread, until none has come for so long.
    func drive(idleTime: Duration)

    /// There is no thread for it. Returns the calls that it took meanwhile, and does not make them.
    func refuseThread() -> [any SubmittedCall]
}

extension Request {
    /// Whether nothing but the network is waited for while it is made, and no code of the caller runs.
    package var needsNoThread: Bool {
        guard progress == nil else { return false }
        switch destination.kind {
        case .memory, .discard: break
        case .file, .stream: return false
        }
        return !body.isStreamed
    }
}
