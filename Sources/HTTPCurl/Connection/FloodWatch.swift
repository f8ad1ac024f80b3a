import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif
import Synchronization

/// Whether a connection was ended because its server kept libcurl reading. Any thread may touch it.
final class FloodMark: Sendable {
    private let flag = Atomic(false)

    func set() { flag.store(true, ordering: .releasing) }

    var isSet: Bool { flag.load(ordering: .acquiring) }
}

/// Ends connections whose server keeps libcurl reading for ever, where nobody can be asked before each read: HTTP/2 in the
/// clear, and HTTP/2 over another TLS library than OpenSSL (`OpenSSLReads` bounds the others).
///
/// While there are such connections it has a thread, the only one that the engine starts: the thread that reads does not
/// come back to look at a clock. Any thread may call it.
final class FloodWatch: Sendable {
    private static let interval = timespec(tv_sec: 0, tv_nsec: 5_000_000)
    /// In so many intervals more must have come, with libcurl in one and the same step.
    private static let patience = 3

    private struct Watched {
        let steps: CurlSteps
        let mark = FloodMark()
        var position: CurlSteps.Position
        var receivedCount: UInt64 = 0
        var intervals = 0

        init(_ steps: CurlSteps) {
            self.steps = steps
            position = steps.position
        }

        /// Ends the connection if a step has read it for too long.
        mutating func look(at socket: CInt) {
            let position = steps.position
            guard position == self.position, position.isReading else {
                self.position = position
                receivedCount = 0
                intervals = 0
                return
            }
            let count = FloodWatch.receivedCount(socket, before: receivedCount)
            intervals = count > receivedCount ? intervals + 1 : 0
            receivedCount = count
            // The first only tells how much had come by then.
            guard intervals > FloodWatch.patience else { return }
            // First, for the thread that reads finds the connection closed at once.
            mark.set()
            // With a reset, or a server whose writes are blocked would wait for room for ever.
            var atOnce = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
            _ = shutdown(socket, CInt(SHUT_RDWR))
        }
    }

    private struct State {
        var sockets: [CInt: Watched] = [:]
        var isRunning = false
    }

    private let state = Locked(State())

    /// A connection is about to be opened that `steps` will read. It must be removed before it is closed. Returns where it
    /// will be noted that the connection was ended.
    func add(_ socket: CInt, readIn steps: CurlSteps) -> FloodMark {
        let watched = Watched(steps)
        let needsThread = state.withLock { state in
            state.sockets[socket] = watched
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Without a thread the connection is as good as before, and the next one tries again.
        if needsThread, DetachedThread.start({ self.run() }) != 0 { state.withLock { $0.isRunning = false } }
        return watched.mark
    }

    func remove(_ socket: CInt) { _ = state.withLock { $0.sockets.removeValue(forKey: socket) } }

    // MARK: On its thread

    private func run() {
        while true {
            let isOver = state.withLock { state in
                for socket in state.sockets.keys { state.sockets[socket]?.look(at: socket) }
                if state.sockets.isEmpty { state.isRunning = false }
                return state.sockets.isEmpty
            }
            if isOver { return }
            var interval = Self.interval
            nanosleep(&interval, nil)
        }
    }

    /// How many bytes have come on a connection so far. Where the system does not tell, more each time there are unread ones.
    private static func receivedCount(_ socket: CInt, before: UInt64) -> UInt64 {
        #if canImport(Darwin)
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) > 0 ? before + 1 : before
        #else
        // tcpi_bytes_received of the kernel's tcp_info, which the C library's is a part of.
        let place = 128
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { room in
            var length = socklen_t(room.count)
            guard getsockopt(socket, CInt(IPPROTO_TCP), TCP_INFO, room.baseAddress, &length) == 0,
                Int(length) >= place + MemoryLayout<UInt64>.size
            else { return 0 }
            return room.load(fromByteOffset: place, as: UInt64.self)
        }
        #endif
    }
}
