import HTTPSupport

/// How long one step of libcurl may read one connection.
///
/// libcurl reads an HTTP/2 connection until it is empty. A server that sends frames faster than they are read, even
/// meaningless ones, would keep it from returning, and deadlines, cancellation and other connections would wait.
///
/// The clock is read once per eight reads, each of at most 16 KiB, so the reads of an ordinary response cost only a
/// counter.
struct ReadBudget {
    private static let readsPerLook = 8
    private static let longest = TimeSpan.microseconds(2000)

    /// The step that the other values belong to.
    private var step: UInt64 = 0
    private var reads = 0
    private var end: TimePoint?
    private var isSpent = false

    /// Whether another read is allowed in `step`. Once refused, none is until the next step.
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
