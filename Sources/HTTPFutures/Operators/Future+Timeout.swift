import HTTPSupport

extension Future where Failure: FutureFailure {
    /// The same result if it is set within `limit`, `timedOut` otherwise. Then this future is cancelled if it has no
    /// other dependent.
    ///
    /// At the limit callbacks run on a thread of `Dispatcher.shared` that no other limit waits for.
    @inlinable public func timeout(_ limit: Duration) -> Future { limited(to: .now + limit, after: limit) }
}
