#if canImport(CLibcurl)
import CLibcurl

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Ends connections whose server keeps libcurl reading for ever, where nobody can be asked before each read: HTTP/2 in the
/// clear, and HTTP/2 over another TLS library than OpenSSL (`OpenSSLReads` bounds the others).
///
/// While there are such connections it has a thread, the only one that the engine starts: the thread that reads does not
/// come back to look at a clock. Any thread may call it.
final class FloodWatch: Sendable {
    private static let interval = timespec(tv_sec: 0, tv_nsec: 10_000_000)
    /// In so many intervals more must have come, with libcurl in one and the same step.
    private static let patience = 2

    private struct Watched {
        let steps: CurlSteps
        var position: CurlSteps.Position
        var receivedCount: UInt64 = 0
        var intervals = 0

        init(_ steps: CurlSteps) {
            self.steps = steps
            position = steps.position
        }

        /// Ends the connection if a step has read it for too long.
        mutating func look(at socket: curl_socket_t) {
            let position = steps.position
            guard position == self.position, position.isReading else {
                self.position = position
                receivedCount = 0
                intervals = 0
                return
            }
            let count = FloodWatch.receivedCount(socket)
            intervals = count > receivedCount ? intervals + 1 : 0
            receivedCount = count
            // The first only tells how much had come by then.
            guard intervals > FloodWatch.patience else { return }
            steps.noteFlood(in: position.step)
            _ = shutdown(socket, CInt(SHUT_RDWR))
        }
    }

    private struct State {
        var sockets: [curl_socket_t: Watched] = [:]
        var isRunning = false
    }

    private let state = Locked(State())

    /// A connection is about to be opened that `steps` will read. It must be removed before it is closed.
    func add(_ socket: curl_socket_t, readIn steps: CurlSteps) {
        let needsThread = state.withLock { state in
            state.sockets[socket] = Watched(steps)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard needsThread, !start() else { return }
        // Without a thread the connection is as good as before, and the next one tries again.
        state.withLock { $0.isRunning = false }
    }

    func remove(_ socket: curl_socket_t) { _ = state.withLock { $0.sockets.removeValue(forKey: socket) } }

    // MARK: On its thread

    private func start() -> Bool {
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let watch = Unmanaged.passRetained(self)
        let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { watch in
            if let watch { Unmanaged<FloodWatch>.fromOpaque(watch).takeRetainedValue().run() }
            return nil
        }
        #if canImport(Darwin)
        let code = ThreadSignals.blocked { pthread_create(&thread, nil, { run($0) }, watch.toOpaque()) }
        if code == 0, let thread { pthread_detach(thread) }
        #else
        let code = ThreadSignals.blocked { pthread_create(&thread, nil, run, watch.toOpaque()) }
        if code == 0 { pthread_detach(thread) }
        #endif
        if code != 0 { watch.release() }
        return code == 0
    }

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
    private static func receivedCount(_ socket: curl_socket_t) -> UInt64 {
        #if canImport(Darwin)
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) > 0 ? mach_absolute_time() : 0
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
#endif
