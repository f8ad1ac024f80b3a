/// A call that an event loop makes together with others.
package protocol LoopCall: AnyObject {
    var isCancelled: Bool { get }

    /// Called once, on the loop's thread: anything slow delays all other calls.
    func finish(_ result: consuming Result<Response, HTTPError>)
}

/// A call that any thread may submit.
package protocol SubmittedCall: LoopCall, Sendable {
    var request: Request { get }
    /// By when it has to be over.
    var deadline: CallDeadline? { get }
}

/// Accepts calls from any thread and makes them on one, in a loop that ends after an idle time.
package protocol CallAgent: AnyObject, Sendable {
    /// Accepts `call`. Returns true if no thread drives the agent: the caller must then start one that calls `drive`.
    func submit(_ call: any SubmittedCall) -> Bool

    /// Makes the driving thread check which of its calls are cancelled.
    func noteCancellation()

    /// Makes calls on this thread, until none has come for `idleTime`.
    func drive(idleTime: Duration)

    /// Reports that no thread could be started. Returns the calls accepted meanwhile, which will not be made.
    func refuseThread() -> [any SubmittedCall]
}

extension Request {
    /// Whether the call waits only for the network and runs no code of the caller.
    package var needsNoThread: Bool {
        guard self[ProgressKey.self] == nil else { return false }
        switch destination.kind {
        case .memory, .discard: break
        case .file, .stream: return false
        }
        return !body.isStreamed
    }
}

/// A client whose engine makes many calls on one thread.
package protocol EventLoopClient: BatchingClient {
    /// Makes all calls of `source` on this thread, each as `executeRequest` does, and returns when the last result is
    /// delivered.
    func execute(_ source: any CallSource)

    /// Accepts calls, which are made together on one borrowed thread.
    var callAgent: any CallAgent { get }
}

extension EventLoopClient {
    package func execute(_ batch: RequestBatch) { execute(PlainSource(batch)) }
}

extension HTTPClient {
    /// The agent that can make `request`. Nil for a client without one, and for a request that runs the caller's code or
    /// waits for a disk, and so needs its own thread.
    package func agent(for request: Request) -> (any CallAgent)? {
        guard let client = self as? any EventLoopClient, request.needsNoThread else { return nil }
        return client.callAgent
    }
}
