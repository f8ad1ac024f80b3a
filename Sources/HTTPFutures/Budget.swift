/// The time a chain of futures has in all.
///
/// `future.budget(.seconds(30))` starts one; the steps after it inherit it. While such a step runs, `current` is its
/// budget, so that a call made in it can have what is left.
public final class Budget: Sendable {
    /// The budget of the step that is running, if it has one.
    @TaskLocal public static var current: Budget?

    /// The time there was in the beginning.
    public let total: Duration
    /// When it is used up.
    public let deadline: ContinuousClock.Instant

    /// Begins now.
    public init(_ total: Duration) {
        self.total = total
        deadline = .now + total
    }

    /// What is left: zero after the deadline.
    public var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: deadline)) }
}
