import CLibcurl
import HTTPCore

/// The current exchange of a transfer as libcurl's callbacks see it: it reads the head, decodes the body and passes
/// both on, and supplies the request body. Each transfer has one and reuses it. Used only by the thread that runs the
/// transfer, where libcurl also calls back. Not copyable, because the compiler would copy it where one member is read.
struct CurlExchange: ~Copyable {
    /// Nil if no connection uses TLS.
    var tlsPeer: CurlTLSPeer?
    /// The handle of the exchanges; nil in a test without one.
    var handle: CurlHandle?
    var connection: ExchangeConnection
    /// Where progress is recorded; nil if the driver of a single connection checks itself.
    var log: CurlProgressLog?
    /// The index of its transfer there.
    var slot: Int32 = 0

    /// The number of bytes decoded at once, a few milliseconds of work, before other transfers and the clock get a
    /// turn.
    private static let mostDecodedAtOnce = 4 << 20

    /// The result of the response.
    var receiver = ResponseReceiver()
    private(set) var stop: ResponseReceiver.Stop?
    private(set) var decoding: ContentDecoding?
    /// Whether received data is still to be decoded. The transfer is then paused until its thread resumes it.
    var isHeld = false
    /// Whether it holds no data of an exchange.
    private var isClear = true
    /// Whether there was progress since the driving loop last checked.
    var hasProgressed = false
    /// The lines of the head so far.
    private var headBytes: [UInt8] = []
    /// Nil unless the body is chunked.
    private var chunks: ChunkCheck?
    private var trailerBytes: [UInt8] = []
    /// Nil between exchanges.
    private var request: Request?
    /// The request's body.
    var upload = UploadReader()
    /// When its last part was supplied; nil if it was sent with the head.
    private(set) var sent: TimePoint?
    /// When it began.
    private(set) var start = TimePoint.now
    /// When the request was about to go out; nil before.
    private(set) var readyPoint: TimePoint?
    /// The time spent on content decoding so far, without that of the receiver of its output.
    private(set) var decodingTime = TimeSpan.zero
    /// Knows when the handshake behind a tunnel began; nil if there is no tunnel, or if it is not known.
    var tunneledPeer: CurlTLSPeer?
    /// The observer of the exchange; nil for none.
    private var observer: AttemptObserver?
    /// The number of body bytes received, before decoding.
    private(set) var codedCount: Int64 = 0
    /// Whether the exchange made libcurl close its connection afterwards.
    var hasForbiddenReuse = false
    /// Whether the caller set Accept-Encoding, and so gets the body undecoded.
    var acceptsEncoded = false

    init(isUnixSocket: Bool = false) { connection = ExchangeConnection(isUnixSocket: isUnixSocket) }

    /// Reset for the next exchange; the buffers stay.
    mutating func begin(_ request: Request, at start: TimePoint = .now, observer: AttemptObserver? = nil) {
        self.start = start
        if readyPoint != nil { readyPoint = nil }
        if decodingTime > .zero { decodingTime = .zero }
        if !isClear { clear() }
        isClear = false
        hasProgressed = false
        isHeld = false
        connection.begin()
        if chunks != nil {
            chunks = nil
            handle?.set(CURLOPT_VERBOSE, 0)
        }
        if !headBytes.isEmpty { headBytes.removeAll(keepingCapacity: true) }
        if !trailerBytes.isEmpty { trailerBytes.removeAll(keepingCapacity: true) }
        codedCount = 0
        if sent != nil { sent = nil }
        self.request = request
        if observer != nil || self.observer != nil { self.observer = observer }
        receiver.begin(request)
    }

    /// Releases received data. Not at the start of the next exchange, when its memory may no longer be cached.
    mutating func clear() {
        receiver.clear()
        // Removing nothing would cost more than this check.
        if stop != nil { stop = nil }
        if decoding != nil { decoding = nil }
        isClear = true
    }

    /// Releases the caller's objects.
    mutating func end() {
        request = nil
        decoding = nil
        upload.clear()
        receiver.end()
    }

    /// Whether the response was final and complete while the request was still being sent.
    var hasWholeEarlyAnswer: Bool {
        guard let head = receiver.head, let request, !upload.isEmpty else { return false }
        return !head.mayHaveBody(answering: request.method) || head.contentLength == codedCount
    }

    /// The trailer fields; nil if they are invalid.
    func trailers() -> HTTPHeaders? {
        guard !trailerBytes.isEmpty else { return HTTPHeaders() }
        return trailerBytes.withUnsafeBufferPointer { bytes in
            var lines = HeadLines(bytes)
            return try? FieldLines.parse(&lines)
        }
    }

    // MARK: Called by libcurl

    /// One header or trailer line with its ending; false stops the transfer. Inlined, because there are many lines.
    @inline(__always)
    mutating func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        noteProgress()
        guard receiver.hasRoom(forHead: line.count) else { return stop(receiver.headTooLarge) }
        guard receiver.head == nil else { return takeTrailerLine(line) }
        // At once: after the status line another request may be sent on this connection, if libcurl believes it.
        if headBytes.isEmpty, !StatusLine.isOf(http2: connection.isHTTP2, line) { return stopAtVersion(line) }
        headBytes.append(contentsOf: line)
        let isEmptyLine = line.count <= 2 && (line.first == 0x0D || line.first == 0x0A)
        return isEmptyLine ? finishHead() : true
    }

    /// A part of the body; false stops the transfer. If `isHeld` afterwards, libcurl must pass it again.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        noteProgress()
        guard stop == nil else { return false }
        guard decode(bytes) else { return false }
        if !isHeld { codedCount += Int64(bytes.count) }
        return true
    }

    private mutating func decode(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let decoding else { return receive(bytes) }
        let start = TimePoint.now
        // The receiver of the output is timed separately.
        var taken: Int64 = 0
        let outcome = decoding.decode(bytes, most: Self.mostDecodedAtOnce) { output in
            let start = TimePoint.now
            defer { taken += start.span(to: .now).nanoseconds }
            return receive(output)
        }
        decodingTime = TimeSpan(nanoseconds: decodingTime.nanoseconds + start.span(to: .now).nanoseconds - taken)
        switch outcome {
        case .more: return true
        case .held:
            isHeld = true
            return true
        // Stopped by the receiver, with its own reason, or by the decoders.
        case .stopped: return stop == nil ? stop(.limitExceeded(.body, bytes: receiver.bodyLimit)) : false
        case .expanded: return stop(.limitExceeded(.expansion, bytes: request?.limits.expansion ?? 0))
        case .corrupt(let reason):
            return stop(.violation("its body is not what its Content-Encoding says: \(reason)", .contentCoding))
        }
    }

    /// A part of the body as received, before the same part in `takeBody`. Only while chunks are checked.
    mutating func takeChunks(_ bytes: UnsafeRawBufferPointer) {
        noteProgress()
        guard stop == nil, let problem = chunks?.take(bytes) else { return }
        _ = stop(.violation(problem, .framing))
    }

    /// Copies the next part of the request body; nil stops the transfer.
    mutating func giveBody(into room: UnsafeMutableRawBufferPointer) -> Int? {
        noteProgress()
        do throws(BodyProblem) {
            let count = try upload.give(into: room)
            if upload.isEmpty, sent == nil { finishSending() }
            return count
        } catch {
            _ = stop(.body(error))
            return nil
        }
    }

    /// The trailer fields of the request; nil when libcurl must stop.
    mutating func makeTrailers() -> HTTPHeaders? {
        do throws(BodyProblem) { return try upload.trailers?.fields() ?? [:] } catch {
            _ = stop(.body(error))
            return nil
        }
    }

    /// A connection is ready and the request is about to be sent; false if it must not be.
    mutating func maySend(between ends: CurlEndpoints) -> Bool {
        noteProgress()
        guard connection.maySend(between: ends) else { return false }
        readyPoint = .now
        tellPhases()
        return true
    }

    private mutating func finishSending() {
        sent = .now
        guard let observer, let handle else { return }
        observer.tellPhases(timings(handle, isReused: !connection.wasOpened, end: .now))
    }

    /// Reports completed phases.
    @inline(__always)
    private func tellPhases() {
        guard let observer, let handle else { return }
        observer.tellPhases(timings(handle, isReused: !connection.wasOpened, end: .now))
    }

    // MARK: Steps

    @inline(__always)
    private mutating func noteProgress() {
        if !hasProgressed { noteFirstProgress() }
    }

    @inline(never)
    private mutating func noteFirstProgress() {
        hasProgressed = true
        log?.slots.append(slot)
    }

    @inline(never)
    private mutating func stopAtVersion(_ line: UnsafeRawBufferPointer) -> Bool {
        stop(.violation(StatusLine.problem(in: line.bindMemory(to: UInt8.self), http2: connection.isHTTP2), .head))
    }

    @inline(never)
    private mutating func takeTrailerLine(_ line: UnsafeRawBufferPointer) -> Bool {
        trailerBytes.append(contentsOf: line)
        return true
    }

    @inline(never)
    private mutating func finishHead() -> Bool {
        defer { headBytes.removeAll(keepingCapacity: true) }
        do {
            let head = try headBytes.withUnsafeBufferPointer { bytes throws(ResponseHead.Violation) in
                try ResponseHead(bytes)
            }
            // An interim response (RFC 9110 §15.2), after which the final one follows. None would follow a 101.
            if head.status == 101 { return stop(.violation("it switches protocols unasked (RFC 9110 §15.2.2)", .head)) }
            if head.status.isInformational { return true }
            return take(head)
        } catch {
            return stop(.violation(error.reason, .head))
        }
    }

    private mutating func take(_ head: ResponseHead) -> Bool {
        tellPhases()
        if head.announcesForbiddenBody, !connection.isHTTP2 {
            hasForbiddenReuse = true
            handle?.set(CURLOPT_FORBID_REUSE, 1)
        }
        do throws(ResponseReceiver.Stop) {
            guard let limit = try receiver.take(head) else { return true }
            if head.isEncoded, !acceptsEncoded {
                let limits = request?.limits ?? Limits()
                switch ContentDecoding.forBody(
                    of: head.headers, limit: limit, expansion: limits.expansion, ignoring: limits.trailingCodedBytes)
                {
                case .success(let decoding): self.decoding = decoding
                case .failure(let violation): throw .violation(violation.reason, .contentCoding)
                }
            }
            // The limit counts decoded bytes, so the length of a coded body says nothing.
            try receiver.open(length: decoding == nil ? head.contentLength : nil)
        } catch { return stop(error) }
        if head.version == .http1_1, head.headers.contains("Transfer-Encoding") { checkChunks() }
        return true
    }

    /// Only the debug callback of libcurl gets the bytes on the wire.
    private mutating func checkChunks() {
        chunks = ChunkCheck()
        handle?.set(CURLOPT_VERBOSE, 1)
    }

    private mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(ResponseReceiver.Stop) { try receiver.take(bytes) } catch { return stop(error) }
        return true
    }

    @inline(never)
    private mutating func stop(_ reason: ResponseReceiver.Stop) -> Bool {
        stop = reason
        return false
    }
}

/// The progress of an exchange.
extension CurlExchange {
    /// Whether the request was sent, or is about to be.
    var isConnected: Bool { connection.isReady }

    /// Whether the whole request body was supplied.
    var hasGivenBody: Bool { upload.isEmpty }

    /// Whether received data needs attention: more to decode, or a violation that libcurl does not know of.
    var isBehind: Bool { isHeld || stop != nil }

    /// Whether a line of a response has arrived, even of an interim one.
    var hasResponseBegun: Bool { receiver.headByteCount > 0 }
}
