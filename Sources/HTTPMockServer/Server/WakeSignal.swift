import HTTPSupport

/// An event that happens once and wakes every waiting thread, including threads that also wait for a socket.
///
/// It is a pipe: firing writes a byte, which every thread that polls the read end notices, now or later. Closing would not
/// do: a child that was forked meanwhile has the write end, too.
package final class WakeSignal: Sendable {
    package enum Outcome { case signaled, timedOut, watched }

    /// A socket to watch meanwhile, and the event that ends the wait.
    package struct Watch {
        let descriptor: Int32
        let events: Int16

        /// Readable, or a connection to accept.
        static func arrival(on descriptor: Int32) -> Watch { Watch(descriptor: descriptor, events: Int16(POLLIN)) }

        /// The peer has closed or finished writing, even if there is still data to read.
        static func departure(on descriptor: Int32) -> Watch { Watch(descriptor: descriptor, events: departureEvents) }
    }

    private let readEnd: Int32
    private let writeEnd: Locked<Int32?>
    private let generation = ProcessGeneration.current

    package init() throws(MockServerError) {
        let ends = try openPipe(for: "a wake signal")
        readEnd = ends.read
        writeEnd = Locked(ends.write)
    }

    deinit {
        fire()
        closeDescriptor(readEnd)
    }

    package var hasFired: Bool { writeEnd.withLock { $0 == nil } }

    package func fire() {
        guard let end = writeEnd.exchange(nil) else { return }
        // A child would wake its parent.
        if ProcessGeneration.isCurrent(generation) { _ = withUnsafeBytes(of: UInt8(1)) { SystemCall.write(end, $0) } }
        closeDescriptor(end)
    }

    /// Waits for the signal, for at most `timeout` (nil for no limit; rounded up to whole milliseconds), or until the
    /// watched event.
    package func wait(timeout: Duration?, watching watch: Watch? = nil) -> Outcome {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        while true {
            var watched = (
                pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: watch?.descriptor ?? -1, events: watch?.events ?? 0, revents: 0)
            )
            let left = deadline.map { ContinuousClock.now.duration(to: $0) }
            let ready = withUnsafeMutableBytes(of: &watched) { bytes in
                bytes.withMemoryRebound(to: pollfd.self) { poll($0.baseAddress, 2, Self.milliseconds(left)) }
            }
            if ready > 0 { return watched.0.revents != 0 ? .signaled : .watched }
            if ready == 0, let deadline, ContinuousClock.now >= deadline { return .timedOut }
            if ready < 0, errno != EINTR, errno != EAGAIN { return .signaled }
        }
    }

    /// A timeout for `poll`: rounded up, so that it is never early, and -1 for none.
    static func milliseconds(_ duration: Duration?) -> Int32 {
        guard let duration else { return -1 }
        guard duration > .zero else { return 0 }
        guard duration < .seconds(1_000_000) else { return 1_000_000_000 }
        let (seconds, attoseconds) = duration.components
        return Int32(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    #if canImport(Darwin)
    private static let departureEvents = Int16(POLLHUP)
    #else
    /// POLLRDHUP on Linux, which the C library's headers define only with `_GNU_SOURCE`.
    private static let departureEvents: Int16 = 0x2000
    #endif
}

/// The two ends of a new pipe, closed in programs that this process starts.
func openPipe(for purpose: String) throws(MockServerError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .current("pipe", purpose) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}

/// `close` under another name, for types that have their own `close()`.
func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
