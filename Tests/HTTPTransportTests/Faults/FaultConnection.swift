import Foundation

import HTTPMockServer

/// A connection on which a server misbehaves. Used by one thread.
final class FaultConnection {
    let stream: any ConnectionStream
    let isHTTP2: Bool
    private let progress: FaultProgress
    /// The bytes read but not yet parsed.
    private var unread: [UInt8] = []
    private var hasGreeted = false
    /// The HTTP/2 stream of the last request.
    private(set) var streamID: UInt8 = 1

    init(_ stream: any ConnectionStream, isHTTP2: Bool, progress: FaultProgress) {
        self.stream = stream
        self.isHTTP2 = isHTTP2
        self.progress = progress
    }

    /// The number of the request, over all connections of the server, from 1.
    func countRequest() -> Int { progress.nextRequest() }

    /// Reports that the fault has reached its point.
    func mark() { progress.reached.signal() }

    // MARK: Reading

    /// Reads the head of a request; false if the client leaves first. An HTTP/2 client gets the server's SETTINGS
    /// first.
    func readRequest() -> Bool {
        if isHTTP2, !hasGreeted { guard write(HTTP2Frame.settings) else { return false } }
        while !(isHTTP2 ? takeHeadersFrame() : takeHead()) { guard readMore() else { return false } }
        return true
    }

    /// Whether another request has arrived; nil if the client has gone. Does not wait.
    func hasAnotherRequest() -> Bool? {
        var room = [UInt8](repeating: 0, count: 16_384)
        while let count = room.withUnsafeMutableBytes({ stream.readArrived(into: $0) }) {
            guard count > 0 else { return nil }
            unread += room[..<count]
        }
        return isHTTP2 ? takeHeadersFrame() : takeHead()
    }

    private func takeHead() -> Bool {
        guard let end = unread.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        unread.removeSubrange(..<end.upperBound)
        return true
    }

    /// After the preface of 24 bytes (RFC 9113 §3.4), frame by frame.
    private func takeHeadersFrame() -> Bool {
        if !hasGreeted {
            guard unread.count >= 24 else { return false }
            unread.removeFirst(24)
            hasGreeted = true
        }
        while unread.count >= 9 {
            let length = Int(unread[0]) << 16 | Int(unread[1]) << 8 | Int(unread[2])
            guard unread.count >= 9 + length else { return false }
            let (type, stream) = (unread[3], unread[8])
            unread.removeFirst(9 + length)
            guard type == HTTP2Frame.headersType else { continue }
            streamID = stream
            return true
        }
        return false
    }

    /// Reads any bytes.
    func readSome() -> Bool { readMore() }

    private func readMore() -> Bool {
        let more = [UInt8](unsafeUninitializedCapacity: 16_384) { room, count in
            count = stream.read(into: UnsafeMutableRawBufferPointer(room))
        }
        unread += more
        return !more.isEmpty
    }

    // MARK: Writing

    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool { stream.write(bytes[...]) }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Sends the head of a response, also with a 1xx status.
    @discardableResult
    func begin(_ status: Int, _ fields: [(name: String, value: String)] = []) -> Bool {
        if isHTTP2 { return write(HTTP2Frame.head(status, fields, on: streamID)) }
        return write("HTTP/1.1 \(status) X\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n")
    }

    /// Sends bytes of the body.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { write(isHTTP2 ? HTTP2Frame.data(bytes, on: streamID) : bytes) }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Ends the body, if that takes a frame.
    @discardableResult
    func endStream() -> Bool { !isHTTP2 || write(HTTP2Frame.data([], endsStream: true, on: streamID)) }

    // MARK: Lasting

    /// Sends nothing until the client has gone.
    func hold() {
        mark()
        while readMore() { unread.removeAll() }
    }

    /// Sends and reads nothing until the client has gone.
    func ignore() {
        mark()
        guard let never = try? WakeSignal() else { return }
        // The data that a delayed acknowledgment (RFC 9293 §3.8.6.3) lets the client send 40 ms later is progress, from
        // which the idle time would count.
        for _ in 0..<50 {
            stream.base.withDescriptor(Self.acknowledgeAtOnce)
            if stream.base.waitForDeparture(or: never, timeout: .milliseconds(1)) != .timedOut { return }
        }
        _ = stream.base.waitForDeparture(or: never, timeout: nil)
    }

    private static func acknowledgeAtOnce(on socket: CInt) {
        #if canImport(Glibc)
        var yes: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_QUICKACK, &yes, socklen_t(MemoryLayout<CInt>.size))
        #endif
    }

    /// Sends `block` repeatedly until the client has gone.
    func flood(_ block: [UInt8]) {
        var bytes = block
        // Enough at once that the client always has data. Doubling is fast, even in a debug build.
        while bytes.count < 256_000 { bytes += bytes }
        mark()
        while write(bytes) {}
    }

    func flood(_ text: String) { flood(Array(text.utf8)) }

    /// Calls `step` every 20 ms until it reports that the client has gone.
    func drip(_ step: () -> Bool) {
        mark()
        while step() { usleep(20_000) }
    }

    /// Sends one of the bytes every 20 ms.
    func drip(_ bytes: [UInt8]) {
        var rest = bytes[...]
        drip { rest.popFirst().map { write([$0]) } ?? false }
    }

    // MARK: Ending

    /// Ends the connection with a reset.
    func reset() {
        stream.suppressCloseNotify()
        stream.base.resetOnClose()
        stream.base.close()
    }

    /// Ends the connection with a FIN, after reading the received bytes: unread ones would make it a reset.
    func close() {
        stream.end()
        stream.base.discardArrived()
        stream.base.close()
    }

    /// The same without close_notify.
    func cut() {
        stream.suppressCloseNotify()
        stream.base.discardArrived()
        stream.base.close()
    }
}
