package import HTTPFoundation

/// Receives the response of one exchange from any engine, and enforces the request's limits.
///
/// The body of a 2xx response goes to the request's destination, that of any other to memory. The body of a followed
/// redirect is discarded: it is read to its end if that is near, so that the connection can be reused.
///
/// A receiver may be used for one exchange after the other, and keeps its memory. Used by one thread at a time.
@usableFromInline package struct ResponseReceiver {
    /// Why no more is taken. Indirect: usually nil, and then small.
    package indirect enum Stop: Error {
        case violation(String, ProtocolViolation.Kind)
        case limitExceeded(LimitExceeded.Limit, bytes: Int)
        /// A source or a sink failed, or could not be opened.
        case body(BodyProblem)
        /// No failure: the sink threw `StopReading`, or the rest of a followed redirect's body is not worth reading.
        case enough

        package static var switchingProtocols: Stop { .violation(switchedProtocols, .head) }

        package static let switchedProtocols =
            "it switches protocols (101), and none but HTTP is spoken here (RFC 9110 §15.2.2)"

        /// The error for this reason.
        package func error(_ record: CallRecord) -> HTTPError {
            switch self {
            case .violation(let reason, let kind):
                .protocolViolation(ProtocolViolation(reason, kind: kind, record: record))
            case .limitExceeded(let limit, let bytes):
                .limitExceeded(LimitExceeded(limit, value: bytes, record: record))
            case .body(let problem): problem.error(record)
            case .enough: .limitExceeded(LimitExceeded(.body, value: drainLimit, record: record))
            }
        }
    }

    private static let drainLimit = 64 << 10

    private let memory = BodyBuffer()
    /// Where the body goes; nil for `memory`.
    private var sink: BodySink? {
        didSet { hasSink = sink != nil }
    }
    package private(set) var hasSink = false
    /// Nil between exchanges.
    package private(set) var request: Request?
    /// The maximum size of the decoded body, in bytes.
    package private(set) var bodyLimit = 0
    package private(set) var head: ResponseHead?
    /// The bytes of all heads and trailers so far, interim ones among them.
    @usableFromInline package internal(set) var headByteCount = 0
    @usableFromInline var headByteLimit = 0
    package private(set) var isFollowedRedirect = false
    /// Whether a body that comes is for the caller.
    private var isWanted = false
    /// Whether its server may be silent: the idle limit no longer holds.
    package private(set) var mayBeQuiet = false
    /// How many bytes of the body went where it goes.
    package private(set) var byteCount: Int64 = 0
    /// How many were thrown away.
    package private(set) var drained: Int64 = 0

    package init() {}

    /// Before the exchange that sends `request`.
    package mutating func begin(_ request: Request) {
        self.request = request
        bodyLimit = request.limits.bodyBytes
        if head != nil { head = nil }
        headByteCount = 0
        headByteLimit = request.limits.headerBytes
        isFollowedRedirect = false
        isWanted = false
        mayBeQuiet = false
        byteCount = 0
        drained = 0
    }

    // MARK: The head

    /// Counts `bytes` more of heads and trailers, and says whether they are within the limit. Inlined: each line asks.
    @inlinable @inline(__always)
    package mutating func hasRoom(forHead bytes: Int) -> Bool {
        headByteCount += bytes
        return headByteCount <= headByteLimit
    }

    /// The heads and trailers exceed their limit.
    package var headTooLarge: Stop { .limitExceeded(.header, bytes: headByteLimit) }

    /// Takes the final head. Returns how many body bytes the caller may still receive; nil if there is no body for the
    /// caller.
    package mutating func take(_ head: ResponseHead) throws(Stop) -> Int? {
        self.head = head
        guard let request else { return nil }
        head.storeCookies(for: request)
        request[HeadObserverKey.self]?(head.status, head.headers, head.contentLength, head.hasNewCookies)
        isFollowedRedirect = RedirectDecision.isFollowedRedirect(head.status, head.headers, answering: request)
        guard head.mayHaveBody(answering: request.method) else { return nil }
        guard !isFollowedRedirect else {
            if let length = head.contentLength, length > Int64(Self.drainLimit) { throw .enough }
            return nil
        }
        isWanted = true
        mayBeQuiet = request.mayBeQuiet(after: head.status, head.headers)
        // A refusal's body goes to memory, whatever the destination.
        if !request.destination.isMemory, !request.sinkTakes(head.status) {
            bodyLimit = min(bodyLimit, Limits.defaultBodyBytes)
        }
        return bodyLimit
    }

    /// Prepares for the body. `length`: the number of bytes after decoding, if known.
    package mutating func open(length: Int64?) throws(Stop) {
        guard let request, let head else { return }
        if request.needsSink, request.sinkTakes(head.status) { try openSink(for: head, answering: request, length) }
        guard let length else { return }
        guard length <= bodyLimit else { throw .limitExceeded(.body, bytes: bodyLimit) }
        if sink == nil { memory.reserve(Int(length)) }
    }

    /// The same for a head whose fields give the length of a body that is not coded. Returns whether a body may follow.
    package mutating func expectBody(behind head: ResponseHead, _ length: Int64?) throws(Stop) -> Bool {
        guard hasRoom(forHead: head.headers.byteCount) else { throw headTooLarge }
        guard try take(head) != nil else { return false }
        try open(length: length)
        return true
    }

    private mutating func openSink(for head: ResponseHead, answering request: Request, _ length: Int64?) throws(Stop) {
        let start = ResponseStart(
            request: request.withoutHop, status: head.status, version: head.version, headers: head.headers,
            bodyLength: length)
        do {
            sink = try request.openSink(start) { [memory] in
                BodySink { bytes in if !memory.append(bytes) { throw Self.noMemory } }
            }
        } catch { throw Self.stop(error) }
    }

    // MARK: The body

    /// Part of the body, decoded.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(Stop) {
        guard isWanted else { return try drain(bytes.count) }
        guard byteCount + Int64(bytes.count) <= Int64(bodyLimit) else { throw .limitExceeded(.body, bytes: bodyLimit) }
        do {
            if let sink { try sink.write(bytes) } else if !memory.append(bytes) { throw Self.noMemory }
        } catch { throw Self.stop(BodyProblem(.sink, error)) }
        byteCount += Int64(bytes.count)
    }

    private static func stop(_ problem: BodyProblem) -> Stop {
        problem.underlying is StopReading ? .enough : .body(problem)
    }

    private mutating func drain(_ count: Int) throws(Stop) {
        guard head != nil else { throw .violation("it has a body but no final head", .head) }
        drained += Int64(count)
        if drained > Int64(Self.drainLimit) { throw .enough }
    }

    private static var noMemory: BrokenBodyContract { BrokenBodyContract(description: "there is no memory for it") }

    package mutating func take(_ bytes: Data) throws(Stop) {
        try bytes.withUnsafeBytes { bytes in Result { () throws(Stop) in try take(bytes) } }.get()
    }

    /// The head, if the reader of the body has left: what came is all that was wanted, as after `StopReading`.
    package var headIfLeft: ResponseHead? { isWanted && request?.isLeft == true ? head : nil }

    /// Who reads what the sink passes on; nil without a sink, and for one that may block.
    package var reader: (any BodyReader)? { hasSink ? request?.destination.reader : nil }

    // MARK: The end

    /// Tells the sink, if there is one, that it has the whole body.
    package mutating func finish() throws(Stop) {
        guard let sink else { return }
        self.sink = nil
        do { try sink.finish() } catch {
            sink.abandon()
            throw Self.stop(BodyProblem(.sink, error))
        }
    }

    /// The body, if it went to memory. It leaves the receiver.
    package mutating func takeBody() -> Data { memory.take() }

    /// The response of a call that ends with this exchange. The body leaves the receiver.
    package mutating func response(
        of plan: CallPlan, trailers: consuming HTTPHeaders = [:], metrics: consuming Metrics
    ) -> Response {
        // There is a head: the plan delivers what was answered.
        guard let head else { return Response(request: plan.answered, status: 0) }
        return Response(
            request: plan.answered, status: head.status, reasonPhrase: head.reason, version: head.version,
            headers: head.headers, trailers: trailers, body: takeBody(), bodyByteCount: byteCount, metrics: metrics,
            redirects: plan.redirects,
            carrying: plan.hasNewCookies ? MessageValues(NewCookiesKey.self, true) : MessageValues())
    }

    /// Releases the caller's objects: an unfinished sink gets no more data.
    package mutating func end() {
        request = nil
        sink?.abandon()
        sink = nil
    }

    /// Releases received data. Not at the start of the next exchange, when the memory may no longer be cached.
    package mutating func clear() {
        // Removing nothing would cost more than this check.
        if head != nil { head = nil }
        memory.removeAll()
    }
}
