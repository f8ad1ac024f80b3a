import CLibcurl
import HTTPSupport

/// Wakes a thread that waits for descriptors. Any thread may call `wake`, also when no thread waits.
///
/// An eventfd on Linux: one descriptor, and a third of the time that a socket pair takes. A pipe elsewhere.
final class WakeupPipe: Sendable {
    /// Readable from a wake-up until it is taken.
    let descriptor: CInt
    /// The writing end; of an eventfd the same.
    let entrance: CInt

    init() throws(Unsupported) {
        guard let (exit, entrance) = Self.open() else {
            if [EMFILE, ENFILE].contains(errno) { throw .noDescriptors }
            throw Unsupported("libcurl", "there are no descriptors for another transfer: \(SystemError.current)")
        }
        descriptor = exit
        self.entrance = entrance
    }

    deinit {
        close(descriptor)
        if entrance != descriptor { close(entrance) }
    }

    func wake() {
        // An eventfd takes eight bytes, a number to add. A full pipe wakes as well.
        withUnsafeBytes(of: UInt64(1)) { _ = SystemCall.write(entrance, $0) }
    }

    /// Clears the wake-ups.
    func take() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { room in
            // The rest of a pipe is cleared the next time.
            _ = SystemCall.read(descriptor, into: room)
        }
    }

    /// Non-blocking, and not inherited by started programs.
    private static func open() -> (exit: CInt, entrance: CInt)? {
        #if canImport(Darwin)
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
        #else
        let descriptor = shim_eventfd()
        return descriptor < 0 ? nil : (descriptor, descriptor)
        #endif
    }
}
