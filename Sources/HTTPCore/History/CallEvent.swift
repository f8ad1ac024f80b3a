import Synchronization

/// An event of a call. The events of one call have the same id and come one at a time, in chronological order.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CallEvent: Sendable {
    /// The call begins. The event that ends it has the same `id`.
    case started(Request, id: CallID)
    /// An exchange begins: the first one, or that of a redirect or a retry.
    case attemptStarted(Request, id: AttemptID)
    /// A phase of an exchange is over. `CallSegment.start` counts from the start of the exchange. With libcurl, the
    /// phases up to the connection are reported together once it is open.
    case phaseFinished(CallSegment, id: AttemptID)
    /// An exchange is over. `CallAttempt.start` counts from when the transport got the request.
    case attemptFinished(CallAttempt, id: AttemptID)
    /// A policy starts to wait.
    case waitStarted(CallActivity, id: CallID)
    /// The wait is over.
    case waitFinished(CallWait, id: CallID)
    /// The call is over, with its result and duration.
    case finished(Request, Result<Response, HTTPError>, Duration, id: CallID)

    /// The call that the event belongs to.
    public var callID: CallID {
        switch self {
        case .started(_, let id), .waitStarted(_, let id), .waitFinished(_, let id), .finished(_, _, _, let id): id
        case .attemptStarted(_, let id), .phaseFinished(_, let id), .attemptFinished(_, let id): id.call
        }
    }

    /// How a cache inside the listener handled the call. Only for `finished`; nil without a cache, and for an error
    /// without a response.
    public var cacheStatus: CacheStatus? {
        guard case .finished(_, let outcome, _, _) = self else { return nil }
        return outcome.received?.cacheStatus
    }

    /// The exchange that the event belongs to; nil for an event of the whole call.
    public var attemptID: AttemptID? {
        switch self {
        case .started, .waitStarted, .waitFinished, .finished: nil
        case .attemptStarted(_, let id), .phaseFinished(_, let id), .attemptFinished(_, let id): id
        }
    }
}

/// Identifies a call. Unique in the process and rising; numbers may be skipped. Retries and redirects belong to the
/// call; the refresh of a token is a separate call.
public struct CallID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The number of the call within this process.
    public let number: UInt64

    package init(number: UInt64) { self.number = number }

    public init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(UInt64.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    public var description: String { "#\(number)" }

    private static let last = Atomic<UInt64>(0)

    package static func next() -> CallID { CallID(number: last.add(1, ordering: .relaxed).newValue) }
}

/// Identifies an exchange of a call.
public struct AttemptID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The call that the exchange is part of.
    public let call: CallID
    /// 1 for the first exchange of the call, and one more for each redirect and retry.
    public let number: Int

    public var description: String { "\(call).\(number)" }
}
