/// How many requests of a batch have a slot although they wait between exchanges.
///
/// A request does before its first exchange: otherwise a rate limit would get all requests at once, and refuse those whose turn
/// would come too late. And it does where the request goes out at the end of the wait: a rate limit holds only if what has its
/// turn is sent at once.
struct BatchSlots {
    /// What a request with a slot waits for.
    enum Holding {
        case time, signal

        /// Nil for a wait without a slot. `isSent` says whether the request has begun an exchange.
        init?(_ wait: PolicyWait, isSent: Bool) {
            guard !isSent || wait.cause == .rateLimit || wait.cause == .authorizing else { return nil }
            self = wait.signal == nil ? .time : .signal
        }
    }

    private var held = 0
    private var heldForTime = 0
    private let total: Int

    init(_ total: Int) { self.total = total }

    mutating func exchange(_ old: Holding?, for new: Holding?) {
        held += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        heldForTime += (new == .time ? 1 : 0) - (old == .time ? 1 : 0)
    }

    /// Whether a request may start or go on beside `active` exchanges. Where all that have a slot wait for others, one that is due
    /// for its next attempt may without a slot: it may be what they wait for.
    func allowOne(beside active: Int, isDue: Bool) -> Bool {
        active + held < total || isDue && active == 0 && heldForTime == 0
    }
}
