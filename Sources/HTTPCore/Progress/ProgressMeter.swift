/// Counts the bytes of a transfer and says when there is news of it: at the start, then at most once an interval, and at
/// the end, be that a failure. It keeps no time of its own.
struct ProgressMeter {
    /// How far back the rate looks.
    private static let window = Duration.seconds(5)
    /// How far apart the reports are that the rate is made from, however often there is one.
    private static let spacing = Duration.milliseconds(50)

    private let interval: Duration
    private let total: Int64?
    private var bytes: Int64
    private var lastReport: ContinuousClock.Instant?
    /// Whether bytes have come since then.
    private var hasNews = false
    /// Reports of the last seconds, oldest first. There is always the one before the window, so that a rate after a
    /// long silence is one over that silence.
    private var marks: [(instant: ContinuousClock.Instant, bytes: Int64)] = []

    /// `start` bytes are there already, and do not count for the rate.
    init(total: Int64?, startingAt start: Int64 = 0, interval: Duration) {
        self.total = total
        self.interval = interval
        bytes = start
    }

    /// The news after `count` more bytes; nil while it is too early for any.
    mutating func add(_ count: Int, at now: ContinuousClock.Instant) -> TransferProgress? {
        bytes += Int64(count)
        hasNews = true
        if let lastReport, now - lastReport < interval { return nil }
        return report(at: now, isFinished: false)
    }

    /// What was not reported yet of a transfer that broke off; nil for nothing.
    mutating func breakOff(at now: ContinuousClock.Instant) -> TransferProgress? {
        hasNews ? report(at: now, isFinished: false) : nil
    }

    /// The last news.
    mutating func finish(at now: ContinuousClock.Instant) -> TransferProgress { report(at: now, isFinished: true) }

    private mutating func report(at now: ContinuousClock.Instant, isFinished: Bool) -> TransferProgress {
        lastReport = now
        hasNews = false
        if marks.last.map({ now - $0.instant >= Self.spacing }) ?? true { marks.append((now, bytes)) }
        while marks.count > 2, now - marks[1].instant >= Self.window { marks.removeFirst() }
        return TransferProgress(bytes: bytes, total: total, bytesPerSecond: rate(at: now), isFinished: isFinished)
    }

    private func rate(at now: ContinuousClock.Instant) -> Double? {
        guard let first = marks.first, now > first.instant else { return nil }
        return Double(bytes - first.bytes) / ((now - first.instant) / .seconds(1))
    }
}
