import Dispatch
import HTTPAsync
import HTTPCore

extension Future {
    /// Blocks the thread until the result is there. It is woken ahead of all callbacks.
    ///
    /// In a callback it first runs other callbacks that this thread still has to call, since the result may depend on
    /// them. They run inside the callback that waits, and it cannot go on before they have returned. So a callback must
    /// not wait for what another one is going to resolve that is itself under way on this thread, further down the stack:
    /// that would block for ever.
    @available(*, noasync, message: "await get()")
    public func wait() throws(Failure) -> Value {
        while true {
            if let result { return try result.get() }
            block(until: .distantFuture)
        }
    }
}

extension Future where Failure: FutureFailure {
    /// The same for `limit` at most; then it throws `timedOut`. The future goes on. Callbacks that it runs are not cut
    /// short: with them it may take longer.
    @available(*, noasync, message: "await get() of timeout(_:)")
    public func wait(for limit: Duration) throws(Failure) -> Value {
        block(until: .now() + limit.interval)
        guard let result else { throw .timedOut(after: limit) }
        return try result.get()
    }
}

extension Future {
    @available(*, noasync)
    private func block(until deadline: DispatchTime) {
        // A call that was put off may be what it waits for, or set off callbacks.
        repeat { Trampoline.help { !isPending } } while isPending && DispatcherThread.makePostponedCall()
        let semaphore = DispatchSemaphore(value: 0)
        guard let ticket = core.withLock({ $0.attach { _ in semaphore.signal() } }) else { return }
        DispatcherThread.giveUpSlot()
        // It only looked on: nothing is cancelled.
        if semaphore.wait(timeout: deadline) == .timedOut { _ = core.withLock { $0.lose(ticket) } }
    }
}
