import HTTPSupport

extension Future {
    /// Blocks the thread until the result is set. Waiting threads are woken before callbacks run.
    ///
    /// Within a callback it first runs the other callbacks that this thread still has to run, since the result may
    /// depend on them. They run on top of the waiting callback, which resumes once they have returned. A callback must
    /// therefore not wait for a result that a callback further down the same stack will set: that deadlocks.
    @available(*, noasync, message: "await get()")
    public func wait() throws(Failure) -> Value {
        while true {
            if let result { return try result.get() }
            block()
        }
    }
}

extension Future where Failure: FutureFailure {
    /// Like `wait()`, for `limit` at most; then it throws `timedOut`. The future is not cancelled. Callbacks that run
    /// meanwhile are not interrupted, so it may take longer than `limit`.
    @available(*, noasync, message: "await get() of timeout(_:)")
    public func wait(for limit: Duration) throws(Failure) -> Value {
        block(atMost: limit)
        guard let result else { throw .timedOut(after: limit) }
        return try result.get()
    }
}

extension Future {
    @available(*, noasync)
    private func block(atMost limit: Duration? = nil) {
        // A deferred callback may set the result, or cause others that do.
        Trampoline.help { !isPending }
        let semaphore = Semaphore()
        guard let ticket = core.withLock({ $0.attach { _ in semaphore.signal() } }) else { return }
        PoolThreadReport.note("the wait for a future")
        Surroundings.giveUpSlot()
        // A waiting thread is no dependent: nothing is cancelled.
        if !semaphore.wait(atMost: limit) { withExtendedLifetime(core.withLock { $0.lose(ticket) }) {} }
    }
}
