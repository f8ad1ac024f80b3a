import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif
import Synchronization

/// Whether a connection was ended because its server kept libcurl reading. Any thread may use it.
final class FloodMark: Sendable {
    private let flag = Atomic(false)

    func set() { flag.store(true, ordering: .releasing) }

    var isSet: Bool { flag.load(ordering: .acquiring) }
}

/// Ends connections whose server keeps libcurl reading endlessly, where reads cannot be bounded: HTTP/2 in the clear,
/// and HTTP/2 over a TLS library other than OpenSSL (`OpenSSLReads` bounds the others).
///
/// While such connections exist it has a thread, the only one that the engine starts, because the reading thread does
/// not return to check deadlines. Any thread may call it.
final class FloodWatch: Sendable {
    private static let interval = timespec(tv_sec: 0, tv_nsec: 5_000_000)
    /// Data must have arrived in this many intervals, during one libcurl step.
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

        /// Ends the connection if one step has read it for too long.
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
            // The first reading is only the baseline.
            guard intervals > FloodWatch.patience else { return }
            // Set first, because the reading thread finds the connection closed at once.
            mark.set()
            // By a reset: otherwise a server with blocked writes would wait forever.
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

    /// A connection is about to be opened that `steps` will read. It must be removed before it is closed. Returns the
    /// mark that is set when the connection is ended.
    func add(_ socket: CInt, readIn steps: CurlSteps) -> FloodMark {
        let watched = Watched(steps)
        let needsThread = state.withLock { state in
            state.sockets[socket] = watched
            defer { state.isRunning = true }
            return !state.isRunning
        }
        // Without a thread the connection is not watched; the next one tries again.
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

    /// The number of bytes received on a connection. If the system does not report it, the number grows while there are
    /// unread bytes.
    private static func receivedCount(_ socket: CInt, before: UInt64) -> UInt64 {
        #if canImport(Darwin)
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) > 0 ? before + 1 : before
        #else
        // tcpi_bytes_received of the kernel's tcp_info. The C library's structure is a prefix of it.
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
