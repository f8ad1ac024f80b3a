#if canImport(CLibcurl)
import CLibcurl

/// What libcurl's callbacks see of the exchange under way in a transfer: it collects the head and the body, holds them
/// to their limits, and hands out the request's body. Each transfer has one, used again for each exchange. Only the thread that runs the transfer, where libcurl also calls
/// back, touches it.
struct CurlExchange {
    /// Nil where no connection speaks TLS.
    var tlsPeer: CurlTLSPeer?
    /// The handle whose exchanges these are; nil in a test without one.
    var handle: CurlHandle?
    var connection: ExchangeConnection
    /// Told of each call back, where nothing else bounds what a step reads.
    var watchedSteps: CurlSteps?
    /// Where it notes that bytes moved; nil in a lane, whose driver looks itself.
    var log: CurlProgressLog?
    /// Its transfer's place there.
    var slot: Int32 = 0

    /// A redirect's body up to this size is read and thrown away, so that the connection can be used again.
    private static let drainLimit = 64 << 10

    /// So much is decoded before others get their turn, and the clock is looked at: a few milliseconds' worth.
    private static let mostDecodedAtOnce = 4 << 20

    private(set) var head: ResponseHead?
    private(set) var stop: Stop?
    private(set) var decoding: ContentDecoding?
    /// Whether there is more to decode of what came. The transfer is paused then, until its thread has it go on.
    var isHeld = false
    let body = BodyBuffer()
    /// Whether nothing of an exchange is there.
    private var isClear = true
    /// Whether bytes moved since the driving loop last looked.
    var hasProgressed = false
    private var headReader = HeadReader()
    /// Nil where the body does not come in chunks.
    private var chunks: ChunkCheck?
    private var trailerBytes: [UInt8] = []
    private(set) var headerByteCount = 0
    private var drained = 0
    /// Whether the response that is coming is a redirect that is followed.
    private(set) var isIntermediate = false
    /// Nil between two exchanges.
    private var position: CallPosition?
    private(set) var limits = Limits()
    /// The request's body.
    var upload = UploadFeed()
    /// How many bytes of the body came, as they were sent.
    private(set) var codedCount: Int64 = 0
    /// How many bytes of the body went to the sink.
    private(set) var sunkCount: Int64 = 0
    /// Whether the caller asked for particular codings itself, and so gets the body as it comes.
    var acceptsEncoded = false
    /// Where the body goes; nil for `body`. The last, as it is large and mostly not there.
    private var sink: BodySink?

    init(isUnixSocket: Bool = false) { connection = ExchangeConnection(isUnixSocket: isUnixSocket) }

    /// Clean for the next exchange; the buffers stay.
    mutating func begin(_ position: CallPosition) {
        if !isClear { clear() }
        isClear = false
        hasProgressed = false
        isHeld = false
        connection.begin()
        if chunks != nil {
            chunks = nil
            handle?.set(CURLOPT_VERBOSE, 0)
        }
        headReader.begin()
        if !trailerBytes.isEmpty { trailerBytes.removeAll(keepingCapacity: true) }
        headerByteCount = 0
        drained = 0
        isIntermediate = false
        sunkCount = 0
        codedCount = 0
        self.position = position
        limits = position.request.limits
    }

    /// Forgets what came. Not only when the next exchange begins: its memory may be far away by then.
    mutating func clear() {
        head = nil
        // To take away what is not there would cost more than to ask.
        if stop != nil { stop = nil }
        if decoding != nil { decoding = nil }
        body.removeAll()
        isClear = true
    }

    /// Lets go of what belongs to the caller.
    mutating func end() {
        position = nil
        decoding = nil
        upload.clear()
        sink?.abandon()
        sink = nil
    }

    var hasSink: Bool { sink != nil }

    /// Tells the sink, if there is one, that it has the whole body.
    mutating func finishSink() throws(BodyProblem) {
        guard let sink else { return }
        self.sink = nil
        do { try sink.finish() } catch {
            sink.abandon()
            throw BodyProblem(.sink, error)
        }
    }

    /// Whether the answer was final, and complete, while the request was still being sent.
    var hasWholeEarlyAnswer: Bool {
        guard let head, let position, !upload.isEmpty else { return false }
        return !head.mayHaveBody(answering: position.request.method) || head.contentLength == codedCount
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
        headerByteCount += line.count
        guard headerByteCount <= limits.headerBytes else { return stop(.headTooLarge) }
        guard head == nil else { return takeTrailerLine(line) }
        headReader.take(line)
        let isEmptyLine = line.count <= 2 && (line.first == 0x0D || line.first == 0x0A)
        return isEmptyLine ? finishHead() : true
    }

    /// Part of the body; false stops the transfer. Where `isHeld` afterwards, libcurl must give it again.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        noteProgress()
        guard stop == nil else { return false }
        guard head != nil else { return stop(.violation("it has a body but no final head", .head)) }
        guard !isIntermediate else {
            drained += bytes.count
            return drained <= Self.drainLimit ? true : stop(.intermediateBodyTooLong)
        }
        guard decode(bytes) else { return false }
        if !isHeld { codedCount += Int64(bytes.count) }
        return true
    }

    private mutating func decode(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let decoding else { return appendToBody(bytes) }
        switch decoding.decode(bytes, most: Self.mostDecodedAtOnce, into: { appendToBody($0) }) {
        case .more: return true
        case .held:
            isHeld = true
            return true
        // By the taker, with its own reason, or by what lies beneath it.
        case .stopped: return stop == nil ? stop(.bodyTooLarge) : false
        case .expanded: return stop(.expandedTooFar)
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
        do throws(BodyProblem) { return try upload.give(into: room) } catch {
            _ = stop(.body(error))
            return nil
        }
    }

    /// A connection is ready and the request about to go out; false where it must not.
    mutating func maySend(between ends: CurlEnds) -> Bool {
        noteProgress()
        return connection.maySend(between: ends)
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
        do {
            let head = try headReader.finish()
            // An interim response (RFC 9110 §15.2): the final one follows. Behind a 101 it would not.
            if head.status == 101 { return stop(.violation("it switches protocols unasked (RFC 9110 §15.2.2)", .head)) }
            if head.status.isInformational { return true }
            self.head = head
            guard let request = position?.request else { return true }
            if RedirectDecision.isFollowed(head.status), let position { isIntermediate = position.isIntermediate(head) }
            guard head.mayHaveBody(answering: request.method) else { return true }
            guard isIntermediate else { return expectBody(of: head, answering: request) }
            let isLong = head.contentLength.map { $0 > Self.drainLimit } ?? false
            return isLong ? stop(.intermediateBodyTooLong) : true
        } catch {
            return stop(.violation(error.reason, .head))
        }
    }

    private mutating func expectBody(of head: ResponseHead, answering request: Request) -> Bool {
        // A refusal's body goes to memory, whatever the destination.
        let usesSink = request.needsSink && head.status.isSuccess
        if request.needsSink, !usesSink { limits.bodyBytes = min(limits.bodyBytes, Limits.defaultBodyBytes) }
        if head.isEncoded, !acceptsEncoded {
            switch ContentDecoding.forBody(of: head.headers, limit: limits.bodyBytes, expansion: limits.expansion) {
            case .success(let decoding): self.decoding = decoding
            case .failure(let violation): return stop(.violation(violation.reason, .contentCoding))
            }
        }
        if usesSink, !openSink(for: head, answering: request) { return false }
        if let length = head.contentLength {
            // Counted after decoding, the limit cannot be judged by the length of what is encoded.
            if decoding == nil, length > limits.bodyBytes { return stop(.bodyTooLarge) }
            if sink == nil { body.reserve(Int(min(length, Int64(limits.bodyBytes)))) }
        }
        if head.version == .http1_1, head.headers.contains("Transfer-Encoding") { checkChunks() }
        return true
    }

    /// libcurl shows what comes over the wire to whoever debugs, and to nobody else.
    private mutating func checkChunks() {
        chunks = ChunkCheck()
        handle?.set(CURLOPT_VERBOSE, 1)
    }

    private mutating func openSink(for head: ResponseHead, answering request: Request) -> Bool {
        do throws(BodyProblem) {
            let start = ResponseStart(
                request: request, status: head.status, version: head.version, headers: head.headers,
                bodyLength: decoding == nil ? head.contentLength : nil)
            sink = try request.openSink(start) { [body] in
                BodySink { bytes in
                    guard body.append(bytes) else { throw BrokenBodyContract(description: "there is no memory for it") }
                }
            }
            return true
        } catch { return stop(.body(error)) }
    }

    private mutating func appendToBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard sink == nil else { return appendToSink(bytes) }
        guard body.count + bytes.count <= limits.bodyBytes else { return stop(.bodyTooLarge) }
        return body.append(bytes)
    }

    private mutating func appendToSink(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard sunkCount + Int64(bytes.count) <= Int64(limits.bodyBytes) else { return stop(.bodyTooLarge) }
        do { try sink?.write(bytes) } catch { return stop(.body(BodyProblem(.sink, error))) }
        sunkCount += Int64(bytes.count)
        return true
    }

    @inline(never)
    private mutating func stop(_ reason: Stop) -> Bool {
        stop = reason
        return false
    }
}
#endif
