extension Future where Failure: FutureFailure {
    /// Ends this future as cancelled, with everything derived from it. What it waits for is cancelled as well, if nothing
    /// else is derived from that, observes it or waits for it; holding it does not count. False if it had ended.
    @discardableResult
    public func cancel() -> Bool { core.end(.failure(.cancelled)) }
}
