/// A period in which a call waited outside an exchange.
public struct CallWait: Sendable, Hashable, Codable {
    /// What kept the call waiting.
    public var cause: CallActivity
    /// When it began, relative to the start of the call.
    public var start: Duration
    /// How long the wait was.
    public var duration: Duration
    /// The reason for its length in a few words: the policy's setting, or the server's request. Nil for none.
    public var reason: String?
    /// The setting that would have made it shorter, as an imperative: `raise the limit of calls`. Nil if whoever waited gives
    /// none.
    public var advice: String?

    /// A wait that began `start` after the call did.
    public init(
        _ cause: CallActivity, start: Duration, duration: Duration, reason: String? = nil, advice: String? = nil
    ) {
        self.cause = cause
        self.start = start
        self.duration = duration
        self.reason = reason
        self.advice = advice
    }
}
