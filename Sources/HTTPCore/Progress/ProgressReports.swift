/// The observers of a request's progress.
package struct ProgressReports: Sendable {
    var upload: ProgressReport?
    var download: ProgressReport?
}

package enum ProgressKey: NotingKey { package static let defaultValue = ProgressReports() }

/// An observer of the progress of a body, called at most once per interval and at the end.
struct ProgressReport: Sendable {
    let interval: Duration
    let tell: @Sendable (TransferProgress) -> Void
}

/// The progress of one body in one exchange. Used only on the thread of its call.
final class ProgressTally {
    private let report: ProgressReport
    private var meter: ProgressMeter

    init(_ report: ProgressReport, total: Int64?) {
        self.report = report
        meter = ProgressMeter(total: total, interval: report.interval)
    }

    func add(_ count: Int) {
        if let news = meter.add(count, at: .now) { report.tell(news) }
    }

    func breakOff() {
        if let news = meter.breakOff(at: .now) { report.tell(news) }
    }

    func finish() { report.tell(meter.finish(at: .now)) }
}

/// Counts the bytes of a transfer and decides when to report: at the start, then at most once per interval, and at the
/// end, even on failure. It has no clock of its own.
package struct ProgressMeter {
    /// The time that the rate covers.
    private static let window = Duration.seconds(5)
    /// The minimum time between two marks, however often there is a report.
    private static let spacing = Duration.milliseconds(50)

    private let interval: Duration
    private let total: Int64?
    private var bytes: Int64
    private var lastReport: ContinuousClock.Instant?
    /// Whether bytes have arrived since the last report.
    private var hasNews = false
    /// The marks of the last seconds, oldest first, and always the one before the window: after a long silence, the
    /// rate includes that silence.
    private var marks: [(instant: ContinuousClock.Instant, bytes: Int64)] = []

    /// `start` bytes exist already and do not count for the rate.
    package init(total: Int64?, startingAt start: Int64 = 0, interval: Duration) {
        self.total = total
        self.interval = interval
        bytes = start
    }

    /// The report after `count` more bytes; nil if it is too early for one.
    package mutating func add(_ count: Int, at now: ContinuousClock.Instant) -> TransferProgress? {
        bytes += Int64(count)
        hasNews = true
        if let lastReport, now - lastReport < interval { return nil }
        return report(at: now, isFinished: false)
    }

    /// The unreported rest of a transfer that broke off; nil for nothing.
    package mutating func breakOff(at now: ContinuousClock.Instant) -> TransferProgress? {
        hasNews ? report(at: now, isFinished: false) : nil
    }

    /// The last report.
    package mutating func finish(at now: ContinuousClock.Instant) -> TransferProgress {
        report(at: now, isFinished: true)
    }

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
