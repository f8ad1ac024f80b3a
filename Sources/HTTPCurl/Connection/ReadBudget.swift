import HTTPCore

/// How long one step of libcurl may go on reading one connection.
///
/// libcurl reads an HTTP/2 connection until nothing is left. A server that sends frames faster than they are read, be they
/// of no meaning, would keep it from returning, and nobody would look at deadlines, cancellation or other connections.
///
/// The clock is read once in eight reads, each of which brings 16 KiB at most: the reads of an ordinary response cost a
/// count and no more.
struct ReadBudget {
    private static let readsPerLook = 8
    private static let longest = TimeSpan.microseconds(2000)

    /// The step that the rest is about.
    private var step: UInt64 = 0
    private var reads = 0
    private var end: TimePoint?
    private var isSpent = false

    /// Whether one more read may be made in `step`. Once it may not, it may not until the next step.
    mutating func mayRead(in step: UInt64, now: () -> TimePoint) -> Bool {
        if step != self.step { self = ReadBudget(step: step) }
        reads += 1
        guard !isSpent, reads.isMultiple(of: Self.readsPerLook) else { return !isSpent }
        let now = now()
        if let end { isSpent = now >= end } else { end = now.advanced(by: Self.longest) }
        return !isSpent
    }

    init(step: UInt64 = 0) { self.step = step }
}
