/// The number of running calls, for a spinner. Several clients may share one.
///
///     let activity = ActivityCounter { count in spinner.isVisible = count > 0 }
///     let users = transport.intercepted(by: .activity(activity))
///     let chats = transport.intercepted(by: .activity(activity))
public final class ActivityCounter: Sendable {
    private let reports: OrderedReports<Int>

    /// The observer receives every change in order, one at a time. The count is never negative, changes by one, and is
    /// zero after the last call. The observer runs on the thread of one of the calls, which waits for it: keep it
    /// short, and switch to the main thread without waiting.
    public init(_ observer: @escaping @Sendable (_ inFlight: Int) -> Void = { _ in }) {
        reports = OrderedReports(of: 0, observer)
    }

    /// The number of running calls.
    public var inFlight: Int { reports.value }

    func add(_ change: Int) { reports.change { $0 += change } }
}
