import HTTPSupport

/// One connected stream socket, blocking, close-on-exec, and silent (no SIGPIPE) when the peer has gone.
///
/// One thread reads, writes and closes it. Any thread may call `interrupt()`.
package final class LoopbackSocket: Sendable {
    private let descriptor: Int32
    private let isOpen = Locked(true)

    /// Takes over an accepted `descriptor`.
    package init(adopting descriptor: Int32, isTCP: Bool) {
        self.descriptor = descriptor
        if isTCP { setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1)) }
        #if canImport(Darwin)
        setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    deinit { close() }

    /// Reads available bytes; waits for the first. Returns 0 when the peer has finished or gone, or the socket was
    /// interrupted: a server treats them alike.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { receive(into: buffer, flags: 0) ?? 0 }

    /// Reads available bytes without waiting: nil if there are none, 0 at the end.
    package func readArrived(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        receive(into: buffer, flags: Int32(MSG_DONTWAIT))
    }

    /// Writes all of `bytes`; false when the peer has gone or the socket was interrupted.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = send(descriptor, piece.baseAddress, piece.count, Self.sendFlags)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Waits until `signal` fires, `timeout` has passed (nil waits without end) or the peer has left, which is when it
    /// closed or finished writing. Reads nothing.
    package func waitForDeparture(or signal: WakeSignal, timeout: Duration?) -> WakeSignal.Outcome {
        signal.wait(timeout: timeout, watching: .departure(on: descriptor))
    }

    /// Waits until there is something to read.
    func waitForArrival(or signal: WakeSignal, timeout: Duration?) -> WakeSignal.Outcome {
        signal.wait(timeout: timeout, watching: .arrival(on: descriptor))
    }

    /// Discards the bytes that have arrived. Closing a socket with unread bytes would send a reset instead of a FIN,
    /// and the peer would lose an unread answer (RFC 9112 §9.6).
    package func discardArrived() {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { scratch in
            while readArrived(into: scratch) ?? 0 > 0 {}
        }
    }

    /// Signals the end of the data to the peer.
    package func finishWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes `close()` send a reset (RST) instead of a FIN.
    package func resetOnClose() { setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }

    package func close() {
        if isOpen.exchange(false) { closeDescriptor(descriptor) }
    }

    /// For waiting on several descriptors. Must not be stored.
    package func withDescriptor<Result>(_ body: (Int32) -> Result) -> Result { body(descriptor) }

    /// Ends the connection in both directions, which ends a read or write on another thread.
    ///
    /// Called under the lock: outside of it the descriptor could be closed and reused.
    package func interrupt() {
        isOpen.withLock { isOpen in
            if isOpen { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer, flags: Int32) -> Int? {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, flags)
            if count >= 0 { return count }
            if errno == EAGAIN || errno == EWOULDBLOCK { return nil }
            if errno != EINTR { return 0 }
        }
    }

    private func setOption<Value>(_ level: Int32, _ name: Int32, _ value: Value) {
        withUnsafeBytes(of: value) { bytes in
            _ = setsockopt(descriptor, level, name, bytes.baseAddress, socklen_t(bytes.count))
        }
    }

    #if canImport(Darwin)
    private static let sendFlags: Int32 = 0
    #else
    private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif
}
