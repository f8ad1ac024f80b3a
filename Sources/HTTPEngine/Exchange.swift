package import HTTPFoundation
import HTTPSupport

/// One exchange of a call, for `ExchangeEngine.perform(_:)`: the request to send, and the receiver of what comes back.
///
/// Used by the thread of the call alone, and only inside `perform`.
public struct Exchange: ~Copyable {
    /// The request as it goes out, with the cookies of its storage. It names the host in its URL, and has no field that
    /// frames its body: both are the engine's to send.
    public let request: Request
    /// Whether it is a second try because a kept connection had died: only a new connection will do.
    public let needsNewConnection: Bool
    /// What the engine knows of its connection, and the bytes that it has sent and received. Times, attempts and waits are
    /// filled in here.
    public var metrics = Metrics()
    /// What the exchange is doing, for errors and times; see `enter(_:)`.
    public private(set) var activity = CallActivity.starting

    private let plan: CallPlan
    private let call: EngineCall
    private let start: TimePoint
    private var deadlines: Deadlines
    private var receiver = ResponseReceiver()
    private var upload: UploadStream?
    private var trailers = HTTPHeaders()
    /// The body of the response in chunks, where the engine does not undo them.
    private var chunks: ChunkReader?
    /// The length that the body must have in the end; nil where its end tells.
    private var expected: Int64?

    /// `upload`: the body, if an exchange before has opened it and sent nothing.
    init(_ plan: CallPlan, in call: EngineCall, from start: TimePoint, sending upload: UploadStream?) {
        self.plan = plan
        self.upload = upload
        self.call = call
        self.start = start
        request = plan.sent
        needsNewConnection = plan.isSecondTry
        deadlines = Deadlines(plan.request.timeouts, now: start, total: call.deadline?.point)
        receiver.begin(plan.request)
    }

    // MARK: Time

    /// Says what is done from now on: `.resolving`, `.connecting`, `.tunneling`, `.securing`, `.preparing`, `.sending`,
    /// `.waiting`. Phases that do not take place are left out. From `.sending` on there is a connection: the idle timeout
    /// holds in place of the connect timeout.
    public mutating func enter(_ activity: CallActivity) {
        let now = TimePoint.now
        endActivity(after: start.duration(to: now))
        self.activity = activity
        deadlines.noteProgress(at: now, isConnected: isConnected, mayBeQuiet: receiver.mayBeQuiet)
    }

    private var isConnected: Bool {
        activity == .sending || activity == .waiting || activity == .receiving || activity == .finishing
    }

    private mutating func endActivity(after time: Duration) {
        switch activity {
        case .starting: metrics.timings.started = time
        case .resolving: metrics.timings.resolved = time
        case .connecting: metrics.timings.connected = time
        case .tunneling: metrics.timings.tunneled = time
        case .securing: metrics.timings.secured = time
        case .sending: metrics.timings.sent = time
        case .waiting: metrics.timings.firstByte = time
        case .receiving: metrics.timings.complete = time
        case .queued, .hostLimit, .rateLimit, .betweenAttempts, .authorizing, .collapsed, .cache, .work, .named,
            .preparing, .decompressing, .finishing, .handingOver, .decoding, .other:
            break
        }
        if activity != .sending, !isConnected { metrics.timings.ready = time }
    }

    /// How long the engine may wait before it calls `check()` again: until the next limit of the call. Nil if there is
    /// none. A cancellation shortens it only for an engine that is woken by `CancellationToken.onCancel(_:)`; without, wait
    /// in steps of at most 100 ms.
    public var timeLeft: Duration? { deadlines.next.map { max(.zero, TimePoint.now.duration(to: $0)) } }

    /// Throws if the call was cancelled, or if a limit of it has passed.
    public func check() throws(ExchangeEnd) {
        if call.isCancelled { throw receiver.headIfLeft == nil ? .failed(.cancelled(record)) : .enough }
        let now = TimePoint.now
        if let limit = deadlines.passed(at: now) {
            throw .failed(plan.request.timeouts.failure(limit, by: call.deadline, record))
        }
        if deadlines.isDrainOver(at: now) { throw .enough }
    }

    /// What is known of the exchange, for an error of the engine.
    public var record: CallRecord { record(of: plan) }

    func record(of plan: CallPlan) -> CallRecord {
        CallRecord(plan.request, phase: activity, metrics: measured(plan), redirects: plan.redirects)
    }

    private func measured(_ plan: CallPlan) -> Metrics {
        var metrics = metrics
        metrics.total = call.start.duration(to: .now)
        metrics.timings.finished = metrics.total - plan.start
        metrics.attemptCount = plan.attempts
        plan.complete(&metrics)
        return metrics
    }

    // MARK: The request's body

    /// How many bytes it has: 0 without one, nil if only its end tells.
    public var bodyLength: Int64? { upload?.length }

    /// The next bytes of the request's body, `count` at most, but at least one; none at the end.
    public mutating func readBody(atMost count: Int) throws(ExchangeEnd) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try upload?.piece(atMost: max(1, count)) ?? [] } catch { throw .failed(error.error(record)) }
        noteProgress()
        return bytes
    }

    /// Bytes moved on the network: the idle timeout begins again. Only needed for bytes that are not passed on at once.
    public mutating func noteProgress() {
        deadlines.noteProgress(at: .now, isConnected: isConnected, mayBeQuiet: receiver.mayBeQuiet)
    }

    // MARK: The response

    /// How the end of a response's body is found (RFC 9112 §6.3).
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum BodyFraming: Sendable, Hashable {
        /// It has none.
        case none
        /// So many bytes.
        case length(Int64)
        /// In chunks (RFC 9112 §7.1): see `receive(chunks:)`.
        case chunked
        /// With the connection, or with the stream of HTTP/2.
        case untilClose
    }

    /// How many bytes of heads may still come: more are an error, so an engine need not collect them.
    public var headRoom: Int { max(0, receiver.headByteLimit - receiver.headByteCount) }

    /// Takes a head as it is on the wire in HTTP/1 (RFC 9112 §4 and §5): the status line and the field lines, with or
    /// without the empty line. Returns nil behind an interim response, which another head follows.
    public mutating func receive(head bytes: some Sequence<UInt8>) throws(ExchangeEnd) -> BodyFraming? {
        let bytes = ContiguousArray(bytes)
        guard receiver.hasRoom(forHead: bytes.count) else { throw end(receiver.headTooLarge) }
        let head: ResponseHead
        do throws(ResponseHead.Violation) {
            head = try bytes.withUnsafeBufferPointer { bytes throws(ResponseHead.Violation) in
                try ResponseHead(bytes)
            }
        } catch { throw violation(error.reason) }
        guard head.version.major == 1 else {
            throw violation("its version is \(head.version), although HTTP/1 is spoken")
        }
        return try take(head)
    }

    /// Takes a head that the engine has parsed. Returns nil behind an interim response, which another head follows.
    public mutating func receive(
        version: HTTPVersion, status: HTTPStatus, headers: HTTPHeaders
    ) throws(ExchangeEnd) -> BodyFraming? {
        try count(headers)
        let head: ResponseHead
        do { head = try ResponseHead(version: version, status: status, headers: headers) } catch {
            throw violation(error.reason)
        }
        return try take(head)
    }

    private mutating func take(_ head: ResponseHead) throws(ExchangeEnd) -> BodyFraming? {
        guard head.status != 101 else { throw end(.switchingProtocols) }
        guard receiver.head == nil else { throw violation("a second head follows the final one") }
        noteProgress()
        guard !head.status.isInformational else { return nil }
        enter(.receiving)
        do throws(ResponseReceiver.Stop) {
            if try receiver.take(head) != nil { try receiver.open(length: head.contentLength) }
        } catch { throw end(error) }
        noteProgress()
        if receiver.isFollowedRedirect { deadlines.noteDraining(at: .now) }
        let framing = framing(of: head)
        expected = if case .length(let length) = framing { length } else { nil }
        return framing
    }

    private func framing(of head: ResponseHead) -> BodyFraming {
        guard head.mayHaveBody(answering: plan.request.method) else { return .none }
        if let length = head.contentLength { return .length(length) }
        return head.headers.contains("Transfer-Encoding") ? .chunked : .untilClose
    }

    /// Takes the next bytes of the response's body, without their framing. An engine that undoes the content coding, too,
    /// takes Content-Encoding and Content-Length, which counts coded bytes, out of the head.
    public mutating func receive(_ bytes: some Sequence<UInt8>) throws(ExchangeEnd) {
        do throws(ResponseReceiver.Stop) {
            let taken = bytes.withContiguousStorageIfAvailable { bytes in
                Result { () throws(ResponseReceiver.Stop) in try receiver.take(UnsafeRawBufferPointer(bytes)) }
            }
            if let taken { try taken.get() } else { try receiver.take(Data(bytes)) }
        } catch { throw end(error) }
        // After the sink: the time that it took is the caller's, and not the server's silence.
        noteProgress()
    }

    /// Takes the next bytes of a body in chunks as they are on the wire (RFC 9112 §7.1), with its trailer fields, for an
    /// engine that does not undo the chunks. Returns whether more follow. What comes after the body stays in `bytes`: a
    /// connection that has some cannot be used again. Call it once before the connection counts as closed, if only with no
    /// bytes: it tells a body that is cut behind the head from one whose chunks the engine has undone.
    public mutating func receive(chunks bytes: inout ArraySlice<UInt8>) throws(ExchangeEnd) -> Bool {
        var reader = chunks.take() ?? ChunkReader()
        let left = try bytes.withUnsafeBufferPointer { bytes throws(ExchangeEnd) in
            var rest = UnsafeRawBufferPointer(bytes)
            while true {
                let data: UnsafeRawBufferPointer?
                do throws(ResponseHead.Violation) { data = try reader.next(in: &rest) } catch {
                    throw end(.violation(error.reason, .framing))
                }
                guard let data else { return rest.count }
                try receive(data)
            }
        }
        bytes = bytes.suffix(left)
        chunks = reader
        guard reader.trailerSection.count <= headRoom else { throw end(receiver.headTooLarge) }
        guard reader.isOver else { return true }
        let trailers: HTTPHeaders
        do throws(ResponseHead.Violation) { trailers = try reader.trailers } catch { throw violation(error.reason) }
        try receive(trailers: trailers)
        return false
    }

    /// Takes the trailer fields after the body.
    public mutating func receive(trailers: HTTPHeaders) throws(ExchangeEnd) {
        try count(trailers)
        self.trailers = trailers
    }

    /// Counts fields that the engine has parsed.
    private mutating func count(_ fields: HTTPHeaders) throws(ExchangeEnd) {
        guard receiver.hasRoom(forHead: fields.byteCount) else { throw end(receiver.headTooLarge) }
    }

    /// How many bytes of the response's body have come.
    public var receivedByteCount: Int64 { receiver.byteCount + receiver.drained }

    private func end(_ stop: ResponseReceiver.Stop) -> ExchangeEnd {
        if case .enough = stop { .enough } else { .failed(stop.error(record)) }
    }

    private func violation(_ reason: String) -> ExchangeEnd { end(.violation(reason, .head)) }

    // MARK: Around `perform`

    /// What came of it. A body that is shorter than announced is never a response.
    mutating func outcome(_ perform: (inout Exchange) throws(ExchangeEnd) -> Void) -> CallPlan.Outcome {
        do throws(ExchangeEnd) {
            try check()
            do throws(BodyProblem) { if upload == nil { upload = try plan.sent.openBody() } } catch {
                throw .failed(error.error(record))
            }
            try perform(&self)
            return .answered(try finish())
        } catch {
            endActivity(after: start.duration(to: .now))
            return error.outcome(behind: receiver.head) ?? .failed(noResponse, isStale: false)
        }
    }

    /// The body, if nothing of it was read.
    var unread: UploadStream? { upload?.given == 0 ? upload : nil }

    private var noResponse: HTTPError {
        .connection(ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: true, record: record))
    }

    /// The framing that announces more than what came.
    private var missing: TruncatedBody.Reason? {
        if let expected, receivedByteCount != expected { return .contentLength(expected: expected) }
        return chunks?.isOver == false ? .chunked : nil
    }

    private mutating func finish() throws(ExchangeEnd) -> ResponseHead {
        guard let head = receiver.head else { throw .failed(noResponse) }
        if let expected, receivedByteCount > expected, !receiver.isFollowedRedirect {
            let words = "its body has \(receivedByteCount) bytes, and its Content-Length is \(expected)"
            throw end(.violation(words, .framing))
        }
        if !receiver.isFollowedRedirect, let missing {
            throw .failed(.truncatedBody(TruncatedBody(missing, received: receivedByteCount, record: record)))
        }
        enter(.finishing)
        do throws(ResponseReceiver.Stop) { try receiver.finish() } catch { throw end(error) }
        return head
    }

    mutating func response(of plan: CallPlan) -> Response {
        receiver.response(of: plan, trailers: trailers, metrics: measured(plan))
    }

    /// Releases the caller's objects: an unfinished sink gets no more data.
    mutating func end() { receiver.end() }
}

/// How an exchange ended, if not with a whole response.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ExchangeEnd: Error, Sendable {
    /// What came is all that is wanted: the call goes on with it.
    case enough
    /// The call ends with this error.
    case failed(HTTPError)
    /// A kept connection was closed before a line of a response: an idempotent request is sent once more.
    case closedWhileIdle(HTTPError)
    /// The server has said that it did not process the request (RFC 9113 §8.7): it is sent once more.
    case unprocessed(HTTPError)
    /// Nothing was sent, because the kept connection could not be used: the request is sent on another one.
    case notSent

    /// Nil without a response. Nothing is sent once more behind a head, whose body may have been delivered.
    fileprivate func outcome(behind head: ResponseHead?) -> CallPlan.Outcome? {
        switch self {
        case .enough: head.map { .answered($0) }
        case .failed(let error): .failed(error, isStale: false)
        case .closedWhileIdle(let error): .failed(error, isStale: head == nil)
        case .unprocessed(let error): head == nil ? .unprocessed(error) : .failed(error, isStale: false)
        case .notSent: head == nil ? .unfit : nil
        }
    }
}

extension UploadStream {
    /// The next bytes, `count` at most; none at the end.
    package mutating func piece(atMost count: Int) throws(BodyProblem) -> [UInt8] {
        var problem: BodyProblem?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, count in
            do throws(BodyProblem) { count = try give(into: UnsafeMutableRawBufferPointer(room)) } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        return bytes
    }

    /// All bytes that follow.
    package mutating func rest() throws(BodyProblem) -> Data {
        var bytes = Data()
        while !isFinished { bytes += try piece(atMost: 64 << 10) }
        return bytes
    }
}
