/// A response that exceeds the request's `Limits`.
public struct LimitExceeded: Error, Sendable, Hashable {
    /// Which limit was exceeded.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Limit: Sendable, Hashable {
        /// `Limits.headerBytes`, raised by `.headerLimit`.
        case header
        /// The length of the head, or of one line of it or of the trailers, limited by the engine. It cannot be raised.
        case headerLine
        /// `Limits.bodyBytes`, raised by `.bodyLimit`.
        case body
        /// `Limits.expansion`, raised by `.expansionLimit`.
        case expansion
    }

    /// The limit that was exceeded.
    public let limit: Limit
    /// The value of the limit, in bytes; for `.expansion` the ratio of decoded to coded bytes.
    public let value: Int
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// An exceeded limit; `value` is in bytes, or for `.expansion` the ratio.
    public init(_ limit: Limit, value: Int, record: CallRecord) {
        self.limit = limit
        self.value = value
        self.record = record
    }
}

extension LimitExceeded: CallFailure, DescribedPayload {
    var error: HTTPError { .limitExceeded(self) }
    var verb: String? { "was stopped" }
    var shortReason: String { "response too large" }

    var sentence: String {
        let peer = record.authority
        let (what, remedy): (String, String?) =
            switch limit {
            case .headerLine:
                (
                    "the head from \(peer), or a line of it or of the trailers, is longer than \(size), the most that the "
                        + "engine takes", nil
                )
            case .header: ("the head of the response from \(peer) is larger than \(size)", ".headerLimit")
            case .body: ("the decoded body from \(peer) is larger than \(size)", ".bodyLimit")
            case .expansion:
                ("the body from \(peer) is more than \(value) times as large decoded as coded", ".expansionLimit")
            }
        guard let remedy else { return "\(what), and no setting raises that: whoever runs the server must shorten it" }
        return "\(what); \(remedy)(_:) raises the limit"
    }

    private var size: String {
        for (unit, name) in [(1 << 20, "MiB"), (1 << 10, "KiB")] where value >= unit && value.isMultiple(of: unit) {
            return "\(value / unit) \(name)"
        }
        return "\(value) bytes"
    }
}
