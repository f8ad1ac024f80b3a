import HTTPSupport

/// An expired timeout, with the phase of the call.
public struct TimeoutFailure: Error, Sendable, Hashable {
    /// The timeout that expired.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Limit: Sendable, Hashable, CaseIterable {
        /// `Timeouts.connect`: the connection, including TLS, was not established in time.
        case connect
        /// `Timeouts.idle`: the pause between two bytes was too long.
        case idle
        /// `Timeouts.total`: the whole call, including redirects, retries and waits, took too long.
        case total
    }

    /// The timeout that expired; nil for that of a future, which has no call.
    public let limit: Limit?
    /// The length of the timeout.
    public let duration: Duration
    /// The record of the call, secrets masked; nil for the timeout of a future, which has no call.
    public internal(set) var record: CallRecord?
    /// What the call waited for, in words: a rate limit, a token refresh, a limit of the dispatcher, or what another
    /// policy names. Nil if nothing is named.
    public let blockedBy: String?
    /// Whether it is a limit of the request, and not that of a deadline around the call.
    var isOwn = true

    /// An expired timeout `limit` of `duration`.
    public init(_ limit: Limit, after duration: Duration, record: CallRecord, blockedBy: String? = nil) {
        self.limit = limit
        self.duration = duration
        self.record = record
        self.blockedBy = blockedBy
    }

    /// The timeout of a future.
    public init(after duration: Duration) {
        limit = nil
        self.duration = duration
        record = nil
        blockedBy = nil
    }

    /// The phase of the call.
    public var phase: CallActivity? { record?.phase }
}

extension TimeoutFailure: DescribedPayload {
    /// What blocks calls whose refresh is given up.
    package static let tokenRefresh = "the token refresh"

    var error: HTTPError { .timedOut(self) }
    var call: CallRecord? {
        get { record }
        set { record = newValue }
    }
    var verb: String? {
        let isFirst = record?.metrics.attemptCount == 0
        return isSent ? nil : isFirst ? "was not sent" : "was not sent again"
    }
    var shortReason: String { limit.map { "timed out (\($0))" } ?? "timed out" }

    /// Not if it waited for something else than its slot: then nothing was sent.
    private var isSent: Bool {
        blockedBy == nil || blockedBy == Self.tokenRefresh || record?.slotAdvice(of: duration) != nil
    }

    var sentence: String {
        guard let record, let limit else { return "the future timed out: \(duration.text) ran out" }
        let remedy = remedy(limit, record)
        if !isSent, let blockedBy {
            let allowance = isOwn ? "the whole call may take" : "the deadline around the call allows"
            return "\(blockedBy), and \(allowance) \(duration.text); \(remedy)"
        }
        return "timed out while \(record.doing): \(what(limit, record)); \(remedy)"
    }

    private func what(_ limit: Limit, _ record: CallRecord) -> String {
        if let blockedBy, blockedBy == Self.tokenRefresh { return "\(blockedBy) took longer than \(duration.text)" }
        let note = blockedBy.map { ", and \($0)" } ?? record.slotNote(of: duration)
        return switch limit {
        case .connect: "there was no connection within \(duration.text)"
        case .idle: "there was no progress for \(duration.text)"
        case .total where isOwn: "the whole call took longer than \(duration.text)" + note
        case .total: "the deadline around the call, of \(duration.text), has passed" + note
        }
    }

    private func remedy(_ limit: Limit, _ record: CallRecord) -> String {
        if blockedBy == Self.tokenRefresh { return "refreshTimeout of BearerTokens raises the limit" }
        return switch limit {
        case .connect: ".connectTimeout(_:) raises the limit"
        case .idle: ".idleTimeout(_:) raises the limit"
        case .total:
            record.slotAdvice(of: duration)
                ?? (isOwn ? ".timeout(_:) on the request raises the limit" : "give it more time")
        }
    }
}

extension CallRecord {
    /// The waits for a slot, if they took a tenth of the time that the call had, or more.
    private func slotWaits(of allowance: Duration) -> [CallWait] {
        let waits = metrics.waits.filter { $0.cause == .queued || $0.cause == .hostLimit }
        return waits.reduce(.zero) { $0 + $1.duration } * 10 >= allowance ? waits : []
    }

    fileprivate func slotNote(of allowance: Duration) -> String {
        let time = slotWaits(of: allowance).reduce(.zero) { $0 + $1.duration }
        return time > .zero ? ", of which it waited \(time.rounded.text) for its turn" : ""
    }

    /// What would have let it run earlier.
    fileprivate func slotAdvice(of allowance: Duration) -> String? {
        let longest = slotWaits(of: allowance).max { $0.duration < $1.duration }
        return longest.map { $0.advice ?? "make fewer calls at once" }
    }
}
