import CLibcurl
import HTTPCore

/// What libcurl's callbacks see of the exchange under way in a transfer: it reads the head, decodes the body and hands both
/// on, and gives out the request's body. Each transfer has one, used again for each exchange. Only the thread that runs the
/// transfer, where libcurl also calls back, touches it.
struct CurlExchange {
    /// Nil where no connection speaks TLS.
    var tlsPeer: CurlTLSPeer?
    /// The handle whose exchanges these are; nil in a test without one.
    var handle: CurlHandle?
    var connection: ExchangeConnection
    /// Told of each call back, where nothing else bounds what a step reads.
    var watchedSteps: CurlSteps?
    /// Where it notes that bytes moved; nil where the driver of a single connection looks itself.
    var log: CurlProgressLog?
    /// Its transfer's place there.
    var slot: Int32 = 0

    /// So much is decoded before others get their turn, and the clock is looked at: a few milliseconds' worth.
    private static let mostDecodedAtOnce = 4 << 20

    /// What became of the response.
    var receiver = ResponseReceiver()
    private(set) var stop: ResponseReceiver.Stop?
    private(set) var decoding: ContentDecoding?
    /// Whether there is more to decode of what came. The transfer is paused then, until its thread has it go on.
    var isHeld = false
    /// Whether nothing of an exchange is there.
    private var isClear = true
    /// Whether bytes moved since the driving loop last looked.
    var hasProgressed = false
    /// The lines of the head so far.
    private var headBytes: [UInt8] = []
    /// Nil where the body does not come in chunks.
    private var chunks: ChunkCheck?
    private var trailerBytes: [UInt8] = []
    /// Nil between two exchanges.
    private var request: Request?
    /// The request's body.
    var upload = UploadReader()
    /// When the last of it was handed out; nil where it went with the head.
    private(set) var sent: TimePoint?
    /// Who is told about the exchange; nil for nobody.
    private var observer: AttemptObserver?
    /// How many bytes of the body came, as they were sent.
    private(set) var codedCount: Int64 = 0
    /// Whether the caller asked for particular codings itself, and so gets the body as it comes.
    var acceptsEncoded = false

    init(isUnixSocket: Bool = false) { connection = ExchangeConnection(isUnixSocket: isUnixSocket) }

    /// Clean for the next exchange; the buffers stay.
    mutating func begin(_ request: Request, observer: AttemptObserver? = nil) {
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

    /// Forgets what came. Not only when the next exchange begins: its memory may be far away by then.
    mutating func clear() {
        receiver.clear()
        // To take away what is not there would cost more than to ask.
        if stop != nil { stop = nil }
        if decoding != nil { decoding = nil }
        isClear = true
    }

    /// Lets go of what belongs to the caller.
    mutating func end() {
        request = nil
        decoding = nil
        upload.clear()
        receiver.end()
    }

    /// Whether the answer was final, and complete, while the request was still being sent.
    var hasWholeEarlyAnswer: Bool {
        guard let head = receiver.head, let request, !upload.isEmpty else { return false }
        return !head.mayHaveBody(answering: request.method) || head.contentLength == codedCount
    }

    /// The trailer fields; nil when they break the rules. Mutating, so that the compiler does not copy all of this to read it.
    mutating func trailers() -> HTTPHeaders? {
        guard !trailerBytes.isEmpty else { return HTTPHeaders() }
        return trailerBytes.withUnsafeBufferPointer { bytes in
            var lines = HeadLines(bytes)
            return try? FieldLines.parse(&lines)
        }
    }

    // MARK: Called by libcurl

    /// One line of a head or a trailer with its ending; false stops the transfer. Inlined: lines are many.
    @inline(__always)
    mutating func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        noteProgress()
        guard receiver.hasRoom(forHead: line.count) else { return stop(receiver.headTooLarge) }
        guard receiver.head == nil else { return takeTrailerLine(line) }
        headBytes.append(contentsOf: line)
        let isEmptyLine = line.count <= 2 && (line.first == 0x0D || line.first == 0x0A)
        return isEmptyLine ? finishHead() : true
    }

    /// Part of the body; false stops the transfer. Where `isHeld` afterwards, libcurl must give it again.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        noteProgress()
        guard stop == nil else { return false }
        guard decode(bytes) else { return false }
        if !isHeld { codedCount += Int64(bytes.count) }
        return true
    }

    private mutating func decode(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let decoding else { return receive(bytes) }
        switch decoding.decode(bytes, most: Self.mostDecodedAtOnce, into: { receive($0) }) {
        case .more: return true
        case .held:
            isHeld = true
            return true
        // By the taker, with its own reason, or by what lies beneath it.
        case .stopped: return stop == nil ? stop(.limitExceeded(.body, bytes: receiver.bodyLimit)) : false
        case .expanded: return stop(.limitExceeded(.expansion, bytes: request?.limits.expansion ?? 0))
        case .corrupt(let reason):
            return stop(.violation("its body is not what its Content-Encoding says: \(reason)", .contentCoding))
        }
    }

    /// Part of the body as it came over the wire, ahead of the same part in `takeBody`. Only while chunks are checked.
    mutating func takeChunks(_ bytes: UnsafeRawBufferPointer) {
        noteProgress()
        guard stop == nil, let problem = chunks?.take(bytes) else { return }
        _ = stop(.violation(problem, .framing))
    }

    /// Copies the next part of the request's body; nil stops the transfer.
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

    /// The fields behind the body; nil when libcurl must not go on.
    mutating func makeTrailers() -> HTTPHeaders? {
        do throws(BodyProblem) { return try upload.trailers?.fields() ?? [:] } catch {
            _ = stop(.body(error))
            return nil
        }
    }

    /// A connection is ready and the request about to go out; false where it must not.
    mutating func maySend(between ends: CurlEndpoints) -> Bool {
        noteProgress()
        guard connection.maySend(between: ends) else { return false }
        tellPhases()
        return true
    }

    private mutating func finishSending() {
        sent = .now
        guard let observer, let handle else { return }
        var timings = PhaseTimings()
        timings.sent = handle.duration(CURLINFO_TOTAL_TIME_T)
        observer.tellPhases(timings)
    }

    /// Tells the phases that are over.
    @inline(__always)
    private func tellPhases() {
        guard let observer, let handle else { return }
        observer.tellPhases(handle.timings(isReused: !connection.wasOpened))
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
            // An interim response (RFC 9110 §15.2): the final one follows. Behind a 101 it would not.
            if head.status == 101 { return stop(.violation("it switches protocols unasked (RFC 9110 §15.2.2)", .head)) }
            if head.status.isInformational { return true }
            return take(head)
        } catch {
            return stop(.violation(error.reason, .head))
        }
    }

    private mutating func take(_ head: ResponseHead) -> Bool {
        tellPhases()
        do throws(ResponseReceiver.Stop) {
            guard let limit = try receiver.take(head) else { return true }
            if head.isEncoded, !acceptsEncoded {
                let expansion = request?.limits.expansion
                switch ContentDecoding.forBody(of: head.headers, limit: limit, expansion: expansion) {
                case .success(let decoding): self.decoding = decoding
                case .failure(let violation): throw .violation(violation.reason, .contentCoding)
                }
            }
            // Counted after decoding, the limit cannot be judged by the length of what is encoded.
            try receiver.open(length: decoding == nil ? head.contentLength : nil)
        } catch { return stop(error) }
        if head.version == .http1_1, head.headers.contains("Transfer-Encoding") { checkChunks() }
        return true
    }

    /// libcurl shows the bytes on the wire to its debug callback alone.
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

/// How far an exchange is.
extension CurlExchange {
    /// Whether the request went out, or is about to.
    var isConnected: Bool { connection.isReady }

    /// Whether all of the request's body was handed out.
    var hasGivenBody: Bool { upload.isEmpty }

    /// Whether there is something to see to that came: more to decode, or a violation that libcurl does not know of.
    var isBehind: Bool { isHeld || stop != nil }

    /// Whether a line of a response has come, be it of an interim one.
    var hasResponseBegun: Bool { receiver.headByteCount > 0 }
}
