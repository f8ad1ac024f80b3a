import HTTPSupport

/// The way of a response's body: its chunks and its codings are undone, and the receiver delivers it.
struct BodyPipeline: ~Copyable {
    typealias Stop = ResponseReceiver.Stop

    /// The number of bytes decoded at once, a few milliseconds of work, before other transfers and the clock get a
    /// turn.
    private static let mostDecodedAtOnce = 4 << 20
    /// The same for a reader that may be slow, for which the decoded bytes are kept.
    private static let mostDecodedForReader = 64 << 10
    /// The time that a sink may take before other transfers and the clock get a turn. It is the caller's code, and libcurl
    /// reads a hundred times what fits its buffer at once, if so much has arrived.
    private static let mostInSink = TimeSpan.microseconds(5000)

    /// The result of the response.
    var receiver = ResponseReceiver()
    private(set) var decoding: ContentDecoding?
    /// Nil unless the body is chunked. It comes as it is on the wire, since libcurl does not check chunks strictly: it reads
    /// `5x` as 5, `0x5` as the end of the body, and a bare LF as the end of a line.
    private var chunks: ChunkReader?
    /// The data that `chunks` found last, as a range of the held part; nil unless that is held.
    private var heldData: Range<Int>?
    /// Whether received data is still to be decoded or delivered. The transfer is then paused until its thread resumes it.
    var isHeld = false
    /// Whether it waits for the reader of the body, who has enough for now.
    var isWaiting = false
    /// Resumes the transfer, from any thread; nil where the thread of the transfer may block.
    var resume: (@Sendable () -> Void)?
    /// The number of bytes received, before decoding.
    private(set) var codedCount: Int64 = 0
    /// The time spent on decoding so far, without that of the receiver of its output.
    private(set) var decodingTime = TimeSpan.zero
    /// The time that the sink has taken since the last turn of others.
    private var timeInSink = TimeSpan.zero

    var isChunked: Bool { chunks != nil }

    /// Before the exchange that sends `request`.
    mutating func begin(_ request: Request) {
        isHeld = false
        isWaiting = false
        if chunks != nil { (chunks, heldData) = (nil, nil) }
        if decodingTime > .zero { decodingTime = .zero }
        if timeInSink > .zero { timeInSink = .zero }
        codedCount = 0
        receiver.begin(request)
    }

    /// Releases received data.
    mutating func clear() {
        receiver.clear()
        // Removing nothing would cost more than this check.
        if decoding != nil { decoding = nil }
    }

    /// Releases the caller's objects.
    mutating func end() {
        decoding = nil
        receiver.end()
    }

    /// The final head. `decodes`: whether the caller wants the body without its codings.
    mutating func take(_ head: ResponseHead, decodes: Bool) throws(Stop) {
        let limit = try receiver.take(head)
        // Also of a followed redirect: what follows its last chunk must not answer the next request.
        if head.version == .http1_1, head.headers.contains("Transfer-Encoding"),
            head.mayHaveBody(answering: receiver.request?.method ?? .get)
        {
            chunks = ChunkReader()
        }
        guard let limit else { return }
        if head.isEncoded, decodes {
            let limits = receiver.request?.limits ?? Limits()
            decoding = try ContentDecoding.forBody(
                of: head.headers, limit: limit, expansion: limits.expansion, ignoring: limits.trailingCodedBytes)
        }
        // The limit counts decoded bytes, so the length of a coded body says nothing.
        try receiver.open(length: decoding == nil ? head.contentLength : nil)
    }

    /// A part of the body as libcurl passes it. If `isHeld` afterwards, the same part must come again. Returns whether bytes
    /// follow the last chunk, which libcurl drops.
    mutating func take(_ bytes: UnsafeRawBufferPointer) throws(Stop) -> Bool {
        guard chunks != nil else {
            try takeData(bytes)
            return false
        }
        let trailerBytes = trailerByteCount
        var rest = UnsafeRawBufferPointer(rebasing: bytes[(heldData?.upperBound ?? 0)...])
        var next = heldData.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        if next == nil { next = try nextData(in: &rest) }
        while let data = next {
            try takeData(data)
            let end = bytes.count - rest.count
            heldData = isHeld ? end - data.count..<end : nil
            guard !isHeld else { return false }
            next = try nextData(in: &rest)
        }
        guard receiver.hasRoom(forHead: trailerByteCount - trailerBytes) else { throw receiver.headTooLarge }
        return !rest.isEmpty
    }

    /// Without the empty line behind them.
    private var trailerByteCount: Int { chunks.map { $0.trailerSection.count - ($0.isOver ? 2 : 0) } ?? 0 }

    private mutating func nextData(in bytes: inout UnsafeRawBufferPointer) throws(Stop) -> UnsafeRawBufferPointer? {
        do throws(ResponseHead.Violation) { return try chunks?.next(in: &bytes) } catch {
            throw .violation(error.reason, .framing)
        }
    }

    private mutating func takeData(_ bytes: UnsafeRawBufferPointer) throws(Stop) {
        isWaiting = false
        if let resume, let reader = receiver.reader, !reader.hasRoom(orCall: resume) {
            (isHeld, isWaiting) = (true, true)
            return
        }
        if timeInSink >= Self.mostInSink {
            (isHeld, timeInSink) = (true, .zero)
            return
        }
        if let decoding { try decode(bytes, by: decoding) } else { try deliver(bytes) }
        if !isHeld { codedCount += Int64(bytes.count) }
    }

    private mutating func deliver(_ bytes: UnsafeRawBufferPointer) throws(Stop) {
        guard receiver.hasSink else { return try receiver.take(bytes) }
        let start = TimePoint.now
        try receiver.take(bytes)
        timeInSink += start.span(to: .now)
    }

    private var mostDecoded: Int { receiver.reader == nil ? Self.mostDecodedAtOnce : Self.mostDecodedForReader }

    private mutating func decode(_ bytes: UnsafeRawBufferPointer, by decoding: ContentDecoding) throws(Stop) {
        let start = TimePoint.now
        // The receiver of the output is timed separately.
        var taken: Int64 = 0
        defer {
            decodingTime = TimeSpan(nanoseconds: decodingTime.nanoseconds + start.span(to: .now).nanoseconds - taken)
        }
        let mostTaken = receiver.hasSink ? Self.mostInSink.nanoseconds : .max
        isHeld = try decoding.decode(bytes, most: mostDecoded, while: { taken < mostTaken }) { output throws(Stop) in
            let start = TimePoint.now
            defer { taken += start.span(to: .now).nanoseconds }
            try receiver.take(output)
        }
        if isHeld { timeInSink = .zero } else if receiver.hasSink { timeInSink += TimeSpan(nanoseconds: taken) }
    }

    /// The trailer fields behind the chunks; nil if they are invalid.
    func trailers() -> HTTPHeaders? { chunks.map { try? $0.trailers } ?? HTTPHeaders() }

    /// Whether the response is final and complete.
    var isWhole: Bool {
        guard let head = receiver.head, let request = receiver.request else { return false }
        return !head.mayHaveBody(answering: request.method) || head.contentLength == codedCount
            || (chunks?.isOver == true && !isHeld)
    }
}
