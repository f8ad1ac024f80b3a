/// A response that is not valid HTTP, or does not belong to the request.
public struct ProtocolViolation: Error, Sendable, Hashable {
    /// The invalid part of the response.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// The status line or the header fields (RFC 9112 §4, §5), or an unexpected status.
        case head
        /// The framing of the body: lengths, chunk sizes and trailers (RFC 9112 §6, §7).
        case framing
        /// The body does not match its Content-Encoding (RFC 9110 §8.4). A request without a coding may help.
        case contentCoding
        /// The frames of HTTP/2 (RFC 9113).
        case frames
        /// Any other part; `reason` names it.
        case other
    }

    /// The invalid part of the message.
    public let kind: Kind
    /// What the server sent, and the rule that it violates.
    public let reason: String
    /// What to do, if it is something else than to ask whoever runs the server.
    package var advice: String?
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A violation; `reason` says what the server sent and which rule it violates.
    public init(_ reason: String, kind: Kind = .other, record: CallRecord) {
        self.kind = kind
        self.reason = ASCII.printable(reason)
        self.record = record
    }
}

extension ProtocolViolation: CallFailure, DescribedPayload {
    var error: HTTPError { .protocolViolation(self) }
    var verb: String? { nil }
    var shortReason: String { "invalid response" }

    var sentence: String {
        "failed while \(record.doing): the answer breaks the rules of HTTP: \(reason); "
            + (advice ?? "whoever runs the server must correct it")
    }
}

/// A body that ended before it was complete.
public struct TruncatedBody: Error, Sendable, Hashable {
    /// How it is known that the body is incomplete.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable {
        /// Fewer bytes arrived than Content-Length announces.
        case contentLength(expected: Int64)
        /// The last chunk is missing.
        case chunked
        /// A content coding (`gzip`, `br` …) ended in the middle.
        case contentCoding(String)
        /// TLS ended without a close_notify alert, which tells a regular end from a truncation attack (RFC 8446 §6.1).
        case missingCloseNotify
    }

    /// How it is known that the body is incomplete.
    public let reason: Reason
    /// The number of bytes of the body that arrived: before content decoding, as far as that is known.
    public let received: Int64
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A body that ended after `received` bytes.
    public init(_ reason: Reason, received: Int64, record: CallRecord) {
        self.reason = reason
        self.received = received
        self.record = record
    }
}

extension TruncatedBody: CallFailure, DescribedPayload {
    var error: HTTPError { .truncatedBody(self) }
    var shortReason: String { "body cut short" }

    var sentence: String {
        let what =
            switch reason {
            case .contentLength(let expected): "ended after \(received) of \(expected) bytes"
            case .chunked: "ended after \(received) bytes without its last chunk"
            case .contentCoding(let coding): "ended in the middle of its \(coding) coding"
            case .missingCloseNotify: "was cut off after \(received) bytes, without TLS being closed"
            }
        return "the body from \(record.authority) \(what): it is incomplete" + (record.warning ?? "; try again")
    }
}
