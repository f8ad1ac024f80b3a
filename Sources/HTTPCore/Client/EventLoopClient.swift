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
