/// The observers of a request's progress. An object, because few requests have observers and all are copied.
package final class ProgressReports: Sendable {
    let upload: ProgressReport?
    let download: ProgressReport?

    init(upload: ProgressReport?, download: ProgressReport?) {
        self.upload = upload
        self.download = download
    }
}

package enum ProgressKey: NotingKey { package static let defaultValue: ProgressReports? = nil }

/// An observer of the progress of a body, called at most once per interval and at the end.
struct ProgressReport: Sendable {
    let interval: Duration
    let tell: @Sendable (TransferProgress) -> Void

    /// The tally of one exchange. Each exchange has its own.
    func start(total: Int64?) -> ProgressTally { ProgressTally(self, total: total) }
}

/// The progress of one body in one exchange. Used only on the thread of its call.
final class ProgressTally {
    private let report: ProgressReport
    private var meter: ProgressMeter

    fileprivate init(_ report: ProgressReport, total: Int64?) {
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
