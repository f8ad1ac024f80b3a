/// A call that was handed to a dispatcher. Letting go of it changes nothing: the call goes on.
public struct DispatchedCall: Sendable {
    let pool: WorkerPool
    let call: any DispatchedJob

    /// Ends the call: its callback gets `.cancelled`, at once while the call waits or its work heeds the token, after
    /// 100 ms otherwise. A call that is over stays as it ended.
    ///
    /// May be called from any thread, any number of times. The callback of a call that still waits runs on this thread
    /// if its queue is `.immediate`.
    public func cancel() { pool.cancel(call) }
}
