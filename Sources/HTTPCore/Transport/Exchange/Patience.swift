/// Whether a thread that has nothing left to do looks for what comes next for a moment before it goes to sleep.
///
/// Where that comes at once, falling asleep and being woken costs more than the moment, also in processor time. Where it is
/// far off, the moment is wasted. So it looks only where that would have paid off the last time, and each look in vain makes
/// it the slower to try again. A value without a clock and without threads.
struct Patience {
    /// How long a look may take.
    static let longestLook = TimeSpan.microseconds(100)
    /// How soon after it had nothing left to do the thread was awake again, at most, for a look to have met what came. That
    /// includes the waking.
    static let soon = TimeSpan.microseconds(200)
    /// To look for the answers to more calls at once would take more than a moment.
    static let mostLookedFor = 8
    private static let mostFailures = 8

    private(set) var mayLook = false
    /// Looks in vain, since the last one that was not.
    private var failures = 0
    /// How many times in a row something came soon after it fell asleep.
    private var chances = 0

    /// A look was over after `time`, with something or without.
    ///
    /// One that took too long was one at somebody else's work, who has the processor: a sleeping thread would have been
    /// given it sooner.
    mutating func noteLook(_ time: TimeSpan, found: Bool) {
        guard !found || time > Self.soon else { return failures = 0 }
        mayLook = false
        chances = 0
        failures = min(failures + 1, Self.mostFailures)
    }

    /// It slept, and was awake again that long after it had nothing left to do.
    mutating func noteWaking(after time: TimeSpan) {
        chances = time <= Self.soon ? chances + 1 : 0
        mayLook = chances >= 1 << max(0, failures - 1)
    }
}
