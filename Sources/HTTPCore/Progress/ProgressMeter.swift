/// Counts the bytes of a transfer and says when there is news of it: at the start, then at most once an interval, and at
/// the end. It keeps no time of its own.
struct ProgressMeter {
    /// How far back the rate looks.
    private static let window = Duration.seconds(5)

    private let interval: Duration
    private let total: Int64?
    private var bytes: Int64
    /// The reports of the last seconds, oldest first. There is always the one before the window, so that a rate after a
    /// long silence is one over that silence.
    private var reports: [(instant: ContinuousClock.Instant, bytes: Int64)] = []

    /// `start` bytes are there already, and do not count for the rate.
    init(total: Int64?, startingAt start: Int64 = 0, interval: Duration) {
        self.total = total
        self.interval = interval
        bytes = start
    }

    /// The news after `count` more bytes; nil while it is too early for any.
    mutating func add(_ count: Int, at now: ContinuousClock.Instant) -> TransferProgress? {
        bytes += Int64(count)
        if let last = reports.last, now - last.instant < interval { return nil }
        return report(at: now, isFinished: false)
    }

    /// The last news.
    mutating func finish(at now: ContinuousClock.Instant) -> TransferProgress { report(at: now, isFinished: true) }

    private mutating func report(at now: ContinuousClock.Instant, isFinished: Bool) -> TransferProgress {
        reports.append((now, bytes))
        while reports.count > 2, now - reports[1].instant >= Self.window { reports.removeFirst() }
        return TransferProgress(bytes: bytes, total: total, bytesPerSecond: rate, isFinished: isFinished)
    }

    private var rate: Double? {
        guard let first = reports.first, let last = reports.last, last.instant > first.instant else { return nil }
        return Double(last.bytes - first.bytes) / ((last.instant - first.instant) / .seconds(1))
    }
}
