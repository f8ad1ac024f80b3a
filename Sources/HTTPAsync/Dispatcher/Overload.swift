/// A call that a dispatcher refused, because too many are waiting, or because the system refused a thread for it.
public struct Overload: OtherFailure, Hashable {
    /// Why a call was refused.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable {
        /// The queue is full.
        case queueFull
        /// The system refused to start a thread, and no other thread could make the call later.
        case noThreads
    }

    /// Why the call was refused.
    public let reason: Reason
    /// The maximum number of waiting calls.
    public let limit: Int
    /// The number of waiting calls.
    public let queued: Int
    /// The record of the refused call, secrets masked.
    public var record: CallRecord?

    /// A refusal by a queue for `limit` calls, of which `queued` were waiting.
    public init(_ reason: Reason, limit: Int, queued: Int, record: CallRecord) {
        self.reason = reason
        self.limit = limit
        self.queued = queued
        self.record = record
    }
}

extension Overload {
    public var name: String { "overloaded" }
    /// An earlier attempt of the call may have been, where a further one is refused.
    public var wasSent: Bool { (record?.metrics.attemptCount ?? 0) > 0 }

    public var sentence: String {
        switch reason {
        case .queueFull:
            "\(queued) calls are waiting already and the limit is \(limit): make fewer at once, or raise"
                + " Dispatcher.Configuration.queued"
        case .noThreads: "the system refused to start a thread for it: make fewer calls at once, or raise its limit"
        }
    }
}
