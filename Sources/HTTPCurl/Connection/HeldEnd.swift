/// Keeps the end of an HTTP/2 connection from libcurl until it has looked at how its streams ended.
///
/// libcurl before 8.1 reads on after the frame that closes a stream, for as long as there is something. If it reads the
/// end of the connection there, the stream counts as whole, although it may have been reset, and its trailers are lost. So
/// what may be the end looks like an empty socket at first.
struct HeldEnd {
    /// Reads are denied in all but the last of so many steps. In each, libcurl looks at all closed streams, but if a stream
    /// has unread data, only at that data.
    private static let steps = 8

    /// The step of the last denied read.
    private var step: UInt64 = 0
    /// How many steps are left.
    private var left = 0
    private var hasEnded = false

    /// What is read next may be the end.
    mutating func hold() { left = Self.steps }

    /// The end was read. Returns whether it may be told.
    mutating func mayEnd(in step: UInt64) -> Bool {
        if !hasEnded { hold() }
        hasEnded = true
        return mayRead(in: step)
    }

    mutating func mayRead(in step: UInt64) -> Bool {
        guard left > 0 else { return true }
        if step != self.step { (self.step, left) = (step, left - 1) }
        return left == 0
    }
}
