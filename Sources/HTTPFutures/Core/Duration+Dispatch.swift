import Dispatch

extension Duration {
    /// Never negative; `never` beyond the 292 years Dispatch can count.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return .nanoseconds(0) }
        let (nanoseconds, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooLong, nanoseconds <= Int64.max - 1_000_000_000 else { return .never }
        return Int(exactly: nanoseconds + attoseconds / 1_000_000_000).map { .nanoseconds($0) } ?? .never
    }
}
