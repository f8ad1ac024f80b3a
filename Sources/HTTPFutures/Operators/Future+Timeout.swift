extension Future where Failure: FutureFailure {
    /// The same result if it comes within `limit`, `timedOut` otherwise; then this future is cancelled, if nothing else
    /// needs it.
    ///
    /// At the limit callbacks run on a timer thread, each limit on its own.
    public func timeout(_ limit: Duration) -> Future {
        limited(to: .now + limit, orElse: .timedOut(after: limit))
    }
}
