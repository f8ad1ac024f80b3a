/// The server side of one HTTP/2 connection as a state machine: libnghttp2 without a socket. Used by one thread.
final class HTTP2Session {
    enum Event {
        /// A field block is complete: the head of a request or its trailers.
        case fields(Int32, [HTTPHeaders.Field], isLast: Bool)
        case data(Int32, [UInt8])
        /// The client sends no more on the stream.
        case end(Int32)
        /// The stream is closed.
        case closed(Int32)
        /// A frame that breaks a rule, with the library's message.
        case invalid(Int32, String)
    }

    /// The part of a body that may be sent, and whether more follows.
    private struct Outgoing {
        var bytes: ArraySlice<UInt8> = []
        var isWhole = false
        var trailers: [HTTPHeaders.Field] = []
        /// Whether the library has reached its end.
        var isEnded = false
    }

    let library: Nghttp2
    private var session: NativeObject?
    /// Since the last `takeEvents()`.
    private var events: [Event] = []
    private var fields: [Int32: [HTTPHeaders.Field]] = [:]
    private var outgoing: [Int32: Outgoing] = [:]

    /// Whether the server has ended the connection itself, or the library did and it was reported.
    private var isEndKnown = false
    /// Whether an invalid frame was among the bytes received last: then a GOAWAY is its answer.
    private var hasReported = false

    /// The highest stream that the client has opened.
    private(set) var lastStream: Int32 = 0

    private static let deferred = -508
    private static let refused: CInt = -533
    private static let endOfFile: UInt32 = 0x01
    private static let noEndOfStream: UInt32 = 0x02
    /// The approximate number of bytes taken out at once.
    private static let leavingSize = 65_536

    /// Nil if the library is out of memory.
    init?(_ library: Nghttp2, _ settings: [(id: Int32, value: UInt32)]) {
        self.library = library
        let user = Unmanaged.passUnretained(self).toOpaque()
        session = HTTP2Callbacks.newSession(library, user)
        guard session != nil else { return nil }
        // An array of nghttp2_settings_entry: two numbers of 32 bits each.
        let entries = settings.flatMap { [UInt32(bitPattern: $0.id), $0.value] }
        _ = entries.withUnsafeBytes { library.submitSettings(pointer, 0, $0.baseAddress, settings.count) }
    }

    private var pointer: OpaquePointer? { session?.pointer }

    /// Takes received bytes. Returns an error that ends the connection, if any.
    func receive(_ bytes: UnsafeRawBufferPointer) -> String? {
        hasReported = false
        let result = library.receive(pointer, bytes.baseAddress, bytes.count)
        return result < 0 ? text(CInt(clamping: result)) : nil
    }

    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Bytes to send; empty if there are none now.
    func takeLeaving() -> [UInt8] {
        var leaving: [UInt8] = []
        while leaving.count < Self.leavingSize {
            var bytes: UnsafeRawPointer?
            let count = library.send(pointer, &bytes)
            guard count > 0, let bytes else { break }
            let frame = UnsafeRawBufferPointer(start: bytes, count: count)
            note(frame)
            leaving += frame
        }
        return leaving
    }

    /// Where a frame cannot even be read, by its size or its compression, the library calls nothing back: all that tells is its
    /// own GOAWAY.
    private func note(_ frame: UnsafeRawBufferPointer) {
        guard !isEndKnown, frame.count >= 17, frame[3] == HTTP2FrameHead.goAway else { return }
        isEndKnown = true
        let code = HTTP2ErrorCode(rawValue: frame[13..<17].reduce(0) { $0 << 8 | UInt32($1) })
        if code != .noError, !hasReported { events.append(.invalid(0, "a frame that cannot be read: \(code)")) }
    }

    /// Whether the connection is still usable.
    var isOpen: Bool { library.wantsRead(pointer) != 0 || library.wantsWrite(pointer) != 0 }

    /// Extends the window of the stream by that many bytes.
    func consume(_ count: Int, on stream: Int32) { _ = library.consume(pointer, stream, count) }

    func sendInterim(_ fields: [HTTPHeaders.Field], on stream: Int32) {
        _ = HTTP2Fields.withList(fields) { library.submitHeaders(pointer, 0, stream, nil, $0, $1, nil) }
    }

    func sendHead(_ fields: [HTTPHeaders.Field], on stream: Int32, hasBody: Bool) {
        _ = HTTP2Fields.withList(fields) { list, count in
            guard hasBody else { return library.submitResponse(pointer, stream, list, count, nil) }
            outgoing[stream] = Outgoing()
            // nghttp2_data_provider: an unused context pointer, and the function.
            let supply: (UnsafeRawPointer?, Nghttp2.Supply) = (nil, HTTP2Callbacks.supply)
            return withUnsafeBytes(of: supply) {
                library.submitResponse(pointer, stream, list, count, $0.baseAddress)
            }
        }
    }

    func sendBody(_ bytes: ArraySlice<UInt8>, on stream: Int32) {
        outgoing[stream]?.bytes += bytes
        _ = library.resume(pointer, stream)
    }

    func endBody(_ trailers: [HTTPHeaders.Field], on stream: Int32) {
        outgoing[stream]?.isWhole = true
        outgoing[stream]?.trailers = trailers
        _ = library.resume(pointer, stream)
    }

    /// Whether the library has consumed all data of the stream.
    func hasTakenAll(of stream: Int32) -> Bool {
        guard let body = outgoing[stream] else { return true }
        return body.bytes.isEmpty && (!body.isWhole || body.isEnded)
    }

    func reset(_ stream: Int32, _ code: HTTP2ErrorCode) { _ = library.submitReset(pointer, 0, stream, code.rawValue) }

    /// Announces that no stream above `last` was or will be processed.
    func goAway(_ code: HTTP2ErrorCode, last: Int32) {
        isEndKnown = true
        _ = library.submitGoAway(pointer, 0, last, code.rawValue, nil, 0)
    }

    private func text(_ code: CInt) -> String {
        library.describe(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

/// The callbacks of the library.
extension HTTP2Session {
    func beginFields(_ frame: HTTP2FrameHead) {
        fields[frame.stream] = []
        lastStream = max(lastStream, frame.stream)
    }

    func add(_ field: HTTPHeaders.Field, _ frame: HTTP2FrameHead) { fields[frame.stream]?.append(field) }

    func received(_ frame: HTTP2FrameHead) {
        if frame.type == HTTP2FrameHead.headers, let complete = fields.removeValue(forKey: frame.stream) {
            events.append(.fields(frame.stream, complete, isLast: frame.endsStream))
        }
        let hasEnd = frame.type == HTTP2FrameHead.headers || frame.type == HTTP2FrameHead.data
        if hasEnd, frame.endsStream { events.append(.end(frame.stream)) }
    }

    func received(_ data: [UInt8], _ stream: Int32) { events.append(.data(stream, data)) }

    func closed(_ stream: Int32) {
        outgoing[stream] = nil
        fields[stream] = nil
        events.append(.closed(stream))
    }

    func received(invalid frame: HTTP2FrameHead, _ code: CInt) {
        // Before it has acknowledged the limit, a client may open more streams (RFC 9113 §6.5.2).
        guard code != Self.refused else { return }
        hasReported = true
        events.append(.invalid(frame.stream, text(code)))
    }

    /// Writes the next part of a body into `room`.
    func supply(_ stream: Int32, _ room: UnsafeMutableRawBufferPointer, _ flags: inout UInt32) -> Int {
        guard var body = outgoing[stream] else { return Self.deferred }
        defer { outgoing[stream] = body }
        let piece = body.bytes.prefix(room.count)
        room.copyBytes(from: piece)
        body.bytes = body.bytes.dropFirst(piece.count)
        guard body.bytes.isEmpty else { return piece.count }
        guard body.isWhole else { return piece.isEmpty ? Self.deferred : piece.count }
        body.isEnded = true
        flags |= Self.endOfFile
        if !body.trailers.isEmpty {
            flags |= Self.noEndOfStream
            _ = HTTP2Fields.withList(body.trailers) { library.submitTrailer(pointer, stream, $0, $1) }
        }
        return piece.count
    }
}
