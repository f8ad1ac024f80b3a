/// A client whose engine makes many calls on one thread.
package protocol EventLoopClient: HTTPClient {
    /// Makes all calls of `source` on this thread, each as `executeRequest` does, and returns when the last result is
    /// delivered.
    func execute(_ source: any CallSource)

    /// Accepts calls, which are made together on one borrowed thread.
    var callAgent: any CallAgent { get }
}

extension HTTPClient {
    /// Where `request` can be handed in. Nil for a client that has no such place, and for a request that runs the caller's
    /// code or waits for a disk, and so needs a thread of its own.
    package func agent(for request: Request) -> (any CallAgent)? {
        guard let client = self as? any EventLoopClient, request.needsNoThread else { return nil }
        return client.callAgent
    }
}
