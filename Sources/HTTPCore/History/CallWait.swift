/// A period in which a call waited outside an exchange.
public struct CallWait: Sendable, Hashable, Codable {
    /// What keeps a call waiting.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
        /// The dispatcher was at its limit of running calls.
        case dispatcher
        /// The dispatcher was at its limit of running calls to the host.
        case hostLimit
        /// `.rateLimit`: until the call's turn.
        case rateLimit
        /// `.retry`, before the next attempt.
        case retry
        /// `.bearer`, until there was a token.
        case token
        /// `.cache`, until another call got the response to the same request.
        case collapsed
        /// `.cache`, while its store was read or written.
        case cache
        /// The work of another policy: `PolicyStep.run`.
        case work
    }

    /// What kept the call waiting.
    public var cause: Cause
    /// When it began, relative to the start of the call.
    public var start: Duration
    /// How long the wait was.
    public var duration: Duration
    /// The reason for its length in a few words: the policy's setting, or the server's request. Nil for none.
    public var reason: String?

    /// A wait that began `start` after the call did.
    public init(_ cause: Cause, start: Duration, duration: Duration, reason: String? = nil) {
        self.cause = cause
        self.start = start
        self.duration = duration
        self.reason = reason
    }
}

extension CallWait.Cause {
    /// Why a policy waits in `phase`.
    init(_ phase: CallPhase) {
        self =
            switch phase {
            case .betweenAttempts: .retry
            case .authorizing: .token
            case .collapsed: .collapsed
            default: .rateLimit
            }
    }
}

extension [CallWait] {
    /// Appends one, and drops one from the middle beyond `CallHistory.limit`.
    mutating func record(_ wait: CallWait) {
        if count >= CallHistory.limit { remove(at: CallHistory.limit / 2) }
        append(wait)
    }
}
