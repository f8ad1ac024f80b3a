extension Future where Failure: FutureFailure {
    /// Ends this future and everything derived from it as cancelled. Its source is cancelled, too, if it has no other
    /// dependent; holding a future does not count. Returns false if it had ended.
    @discardableResult
    public func cancel() -> Bool { core.end(.failure(.cancelled)) }
}
