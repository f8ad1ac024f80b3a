/// A call that is handed in, seen from the thread that carries it.
package protocol FedCall: AnyObject, Sendable {
    var request: Request { get }
    /// By when it has to be over.
    var deadline: CallDeadline? { get }
    var isCancelled: Bool { get }

    /// Called once, on the thread that carries all calls: whatever takes time holds them all up. Or on that of the task that
    /// awaits it, which is then the one that handed it in.
    func finish(_ result: consuming Result<Response, HTTPError>)
}

/// Takes calls from any thread and makes them on one, in a loop that ends when there was nothing to do for a while.
package protocol CallFeed: AnyObject, Sendable {
    /// Takes `call`. True when no thread drives the feed: then one has to be sent to `drive`.
    ///
    /// `isAwaitedHere`: whether this is the thread of the task that awaits the call. Only then may the call be over, and the
    /// task told, before this returns.
    func submit(_ call: any FedCall, isAwaitedHere: Bool) -> Bool

    /// Has the driving thread look which of its calls are cancelled.
    func noteCancellation()

    /// Makes calls on this thread, until none has come for so long.
    func drive(idleTime: Duration)

    /// There is no thread for it. Returns the calls that it took meanwhile, and does not make them.
    func refuseThread() -> [any FedCall]
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
