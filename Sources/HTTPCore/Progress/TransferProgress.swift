/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// The bytes transferred, including those of an earlier run of a resumed download.
    public let bytes: Int64
    /// The total length in bytes; nil if unknown.
    public let total: Int64?
    /// Bytes per second over the last seconds; nil if it cannot be computed yet.
    public let bytesPerSecond: Double?
    /// Whether this is the last report: the transfer is over.
    public let isFinished: Bool

    /// A report of `bytes` transferred out of `total`, which is nil if unknown.
    public init(bytes: Int64, total: Int64? = nil, bytesPerSecond: Double? = nil, isFinished: Bool = false) {
        self.bytes = bytes
        self.total = total
        self.bytesPerSecond = bytesPerSecond
        self.isFinished = isFinished
    }

    /// From 0 to 1; nil without a total.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(max(Double(bytes) / Double(total), 0), 1) : 1
    }

    /// The time left at the current rate. Nil if the rate or the total is unknown, or if it exceeds 30,000 years.
    public var estimatedTimeLeft: Duration? {
        guard let total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = max(Double(total) - Double(bytes), 0) / bytesPerSecond
        // A server may send any total, and `Duration` traps on overflow.
        return seconds < 1e12 ? .seconds(seconds) : nil
    }
}

extension RequestStep {
    /// Reports to `tell` how much of the response's body has arrived, after content decoding: at the first bytes, then
    /// at most once per interval, and at the end or where it breaks off. It runs on the thread of the call, which waits
    /// for it.
    ///
    ///     client.executeRequest(.get(url) |> .destination(.file("a.iso")) |> .downloadProgress { print($0.bytes) })
    ///
    /// Redirects are not reported; error responses only with `BodyDestination.includingRefusals()`. A retry starts
    /// again.
    public static func downloadProgress(
        every interval: Duration = .milliseconds(100), _ tell: @escaping @Sendable (TransferProgress) -> Void
    ) -> RequestStep {
        RequestStep { $0[ProgressKey.self].download = ProgressReport(interval: interval, tell: tell) }
    }

    /// Reports to `tell` how much of the request's body was handed to the system to send; otherwise like
    /// `downloadProgress`, but without a report where the body breaks off. If the body is sent again, after a redirect
    /// or by a retry, it starts again.
    public static func uploadProgress(
        every interval: Duration = .milliseconds(100), _ tell: @escaping @Sendable (TransferProgress) -> Void
    ) -> RequestStep {
        RequestStep { $0[ProgressKey.self].upload = ProgressReport(interval: interval, tell: tell) }
    }
}
