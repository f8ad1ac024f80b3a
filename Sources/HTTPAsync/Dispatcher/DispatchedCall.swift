/// A call submitted to a dispatcher. Dropping it does not cancel the call.
public struct DispatchedCall: Sendable {
    let pool: WorkerPool
    let call: any DispatchedJob

    /// Ends the call with `.cancelled`: at once if it is queued or its work observes the token, after 100 ms otherwise.
    /// It has no effect on a finished call.
    ///
    /// Any thread may call it, any number of times. The callback of a queued call runs on this thread if its queue is
    /// `.immediate`.
    public func cancel() { pool.cancel(call) }
}
