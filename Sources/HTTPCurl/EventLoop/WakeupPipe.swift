import CLibcurl
import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Wakes a thread that waits for descriptors. Any thread may call `wake`, also when no thread waits.
final class WakeupPipe: Sendable {
    /// Readable from a wake-up until it is taken.
    let descriptor: CInt
    /// The writing end.
    let entrance: CInt

    init() throws(Unsupported) {
        guard let (exit, entrance) = Self.open() else {
            if [EMFILE, ENFILE].contains(errno) { throw .noDescriptors }
            throw Unsupported("a new transfer", "there are no descriptors for it: \(SystemError.current)")
        }
        descriptor = exit
        self.entrance = entrance
    }

    deinit {
        close(descriptor)
        close(entrance)
    }

    func wake() {
        // A full pipe wakes as well.
        withUnsafeBytes(of: UInt8(0)) { _ = SystemCall.write(entrance, $0) }
    }

    /// Waits until it is woken or the time has passed, and clears the wake-ups. Returns whether it was woken.
    func wait(milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, milliseconds) > 0 else { return false }
        take()
        return true
    }

    /// Clears the wake-ups.
    func take() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { room in
            // The rest is cleared the next time.
            _ = SystemCall.read(descriptor, into: room)
        }
    }

    /// Both ends are non-blocking and are not inherited by started programs.
    private static func open() -> (exit: CInt, entrance: CInt)? {
        var ends: [CInt] = [-1, -1]
        #if canImport(Darwin)
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        #else
        // A socket pair, because it can be created with these flags.
        #if canImport(Musl)
        let kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK
        #else
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        #endif
        return (ends[0], ends[1])
    }
}
