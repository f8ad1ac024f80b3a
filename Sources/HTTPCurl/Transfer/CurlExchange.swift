import CLibcurl
import HTTPSupport

/// The current exchange of a transfer as libcurl's callbacks see it. It passes the lines of heads, the response's body
/// and the moments of the exchange to a value for each, and supplies the request body. Each transfer has one and reuses
/// it. Used only by the thread that runs the transfer, where libcurl also calls back. Not copyable, because the compiler
/// would copy it where one member is read.
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

    private var lines = HeadBuffer()
    /// The response's body.
    var body = BodyPipeline()
    var clock = ExchangeClock()
    private(set) var stop: ResponseReceiver.Stop?
    /// Whether it holds no data of an exchange.
    private var isClear = true
    /// Whether there was progress since the driving loop last checked.
    var hasProgressed = false
    /// The request's body.
    private(set) var upload = UploadReader()
    /// How many bytes of it libcurl had sent at the last look, framing included.
    private var sentCount: Int64 = 0
    /// Resumes the transfer when there is more of that, from any thread.
    var resumeUpload: (@Sendable () -> Void)?
    /// The observer of the exchange; nil for none.
    private var observer: AttemptObserver?
    /// Whether the exchange made libcurl close its connection afterwards.
    private(set) var hasForbiddenReuse = false
    private var keepsCoding = false
    /// Whether libcurl calls the debug callback.
    private var isVerbose = false
    /// Whether libcurl goes on sending behind an answer that is no success.
    private var keepsSending = false
    /// When the last part of that answer came.
    private(set) var lastReceipt = TimePoint.now

    init(isUnixSocket: Bool = false) { connection = ExchangeConnection(isUnixSocket: isUnixSocket) }

    /// Reset for the next exchange, for which `options` are set; the buffers stay.
    mutating func begin(
        _ request: Request, _ options: CurlRequestOptions.Decision = CurlRequestOptions.Decision(),
        at start: TimePoint = .now, observer: AttemptObserver? = nil
    ) {
        clock.begin(at: start)
        if !isClear { clear() }
        isClear = false
        hasProgressed = false
        hasForbiddenReuse = false
        connection.begin(headBytes: options.headBytes)
        if isVerbose { setVerbose(false) }
        if keepsSending { setKeepsSending(false) }
        lines.begin()
        if let observer { self.observer = observer }
        if let upload = options.upload { self.upload = upload }
        keepsCoding = options.keepsCoding
        body.begin(request)
    }

    /// Releases received data. Not at the start of the next exchange, when its memory may no longer be cached.
    mutating func clear() {
        body.clear()
        // Removing nothing would cost more than this check.
        if stop != nil { stop = nil }
        isClear = true
    }

    /// Releases the caller's objects.
    mutating func end() {
        upload.clear()
        body.end()
        if observer != nil { observer = nil }
    }

    /// The trailer fields; nil if they are invalid.
    func trailers() -> HTTPHeaders? { body.isChunked ? body.trailers() : lines.trailers() }

    /// The timings of the current or last exchange, which ends at `end`.
    @inline(__always)
    func timings(_ handle: CurlHandle, isReused: Bool, end: TimePoint) -> PhaseTimings {
        clock.timings(handle, isReused: isReused, decoding: body.decodingTime, end: end)
    }

    // MARK: Called by libcurl

    /// One header or trailer line with its ending; false stops the transfer. Inlined, because there are many lines.
    @inline(__always)
    mutating func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        noteProgress()
        guard body.receiver.hasRoom(forHead: line.count) else { return stop(body.receiver.headTooLarge) }
        guard body.receiver.head == nil else {
            lines.takeTrailer(line)
            return true
        }
        do throws(ResponseHead.Violation) {
            guard let head = try lines.take(line, http2: connection.isHTTP2) else { return true }
            return take(head)
        } catch { return stop(.violation(error.reason, .head)) }
    }

    /// A part of the body; false stops the transfer. If `body.isHeld` afterwards, libcurl must pass it again.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        noteProgress()
        guard stop == nil else { return false }
        if keepsSending { lastReceipt = .now }
        do throws(ResponseReceiver.Stop) { if try body.take(bytes) { forbidReuse() } } catch {
            // Of a followed redirect only the head counts.
            return body.receiver.isFollowedRedirect ? false : stop(error)
        }
        return true
    }

    /// A line of libcurl's log. It says so when it drops bytes behind a response without a body; the rest of them may come
    /// later, and would be taken for the next response.
    mutating func takeRemark(_ line: UnsafeRawBufferPointer) {
        if line.starts(with: "Excess found".utf8) { forbidReuse() }
    }

    /// Copies the next part of the request body; nil stops the transfer. If `upload.isHeld` afterwards, libcurl must ask
    /// again.
    mutating func giveBody(into room: UnsafeMutableRawBufferPointer) -> Int? {
        do throws(BodyProblem) {
            let wasHeld = upload.isHeld
            let count = try upload.give(into: room, orCall: resumeUpload)
            if !(wasHeld && upload.isHeld) { noteProgress() }
            if upload.isEmpty, clock.noteSent() { tellPhases() }
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

    /// libcurl waits for `socket`, or no longer does.
    mutating func noteWait(for socket: curl_socket_t, _ action: CInt) {
        connection.noteWait(for: socket, action)
        if upload.isHeld { noteProgress() }
    }

    /// A connection is ready and the request is about to be sent; false if it must not be.
    mutating func maySend(between ends: CurlEndpoints) -> Bool {
        noteProgress()
        guard connection.maySend(between: ends) else { return false }
        clock.noteReady()
        tellPhases()
        return true
    }

    /// Its time is over. An HTTP/2 connection on which no answer came may be dead, and the next request would wait on it, too: it
    /// is closed as soon as no other stream uses it. libcurl closes those of HTTP/1 itself.
    mutating func noteTimeout(_ limit: Timeouts.Limit) {
        if isConnected, connection.isHTTP2, limit == .idle || !hasResponseBegun { forbidReuse() }
    }

    // MARK: Steps

    /// Reports completed phases.
    @inline(__always)
    private func tellPhases() {
        guard let observer, let handle else { return }
        observer.tellPhases(timings(handle, isReused: !connection.wasOpened, end: .now))
    }

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
    private mutating func take(_ head: ResponseHead) -> Bool {
        tellPhases()
        if head.announcesForbiddenBody || lines.hasFolds, !connection.isHTTP2 { forbidReuse() }
        // A range is one of the coded bytes (RFC 9110 §14.2), of which a part cannot be decoded.
        let decodes = !keepsCoding && head.status != 206
        do throws(ResponseReceiver.Stop) { try body.take(head, decodes: decodes) } catch { return stop(error) }
        if hasUnsentBody, !noteEarly(head) { return false }
        if !connection.isHTTP2 { connection.keepAlive = head.headers["Keep-Alive"] }
        let hasNoBody =
            head.contentLength == 0 || !head.mayHaveBody(answering: body.receiver.request?.method ?? .get)
        // Only the log tells of bytes that libcurl drops.
        if hasNoBody, !connection.isHTTP2 { setVerbose(true) }
        return true
    }

    /// The answer has come before the end of the request.
    private mutating func noteEarly(_ head: ResponseHead) -> Bool {
        let isRefused = !head.status.isSuccess
        var isHeldBack = false
        if upload.isUnread, let request = body.receiver.request, request.continueWait != nil {
            // libcurl would send it again itself, and over HTTP/2 end this one as if its body were empty.
            if request.isRepeatedWithoutExpectation(after: head.status) { return stop(.enough) }
            // Without the body, which the server may read on for. It would take the next request for that.
            if !connection.isHTTP2 { forbidReuse() }
            // libcurl might begin with it after all (RFC 9110 §10.1.1).
            if isRefused { upload.hold() }
            isHeldBack = isRefused
        }
        guard isRefused else { return true }
        guard connection.isHTTP2 else {
            // libcurl sends no more, but waits until a paused body is resumed.
            if upload.isHeld { resumeUpload?() }
            return true
        }
        // What libcurl has of it may fill the socket's buffer. The reset of the stream would then wait there, perhaps for the
        // next request.
        if !isHeldBack, upload.hasMuchLeft { forbidReuse() }
        let library = CurlLibrary.shared
        // What is not supplied in pieces cannot be ended later.
        if library.endsRefusedUploads, head.contentLength != nil || (upload.isStream && !library.isDeafWhileSending) {
            setKeepsSending(true)
            lastReceipt = .now
        } else if upload.isHeld {
            resumeUpload?()
        }
        return true
    }

    /// Ends the request body, as libcurl does at once: a refusal over HTTP/2 has no length, and no more of it came. libcurl
    /// notices its end only when both have ended.
    mutating func endUpload() {
        upload.end()
        if upload.isHeld { resumeUpload?() }
    }

    /// Whether the end of a refusal without a length can be noticed only behind that of the request.
    var mayHideEnd: Bool {
        keepsSending && upload.isStream && !upload.hasEnded && body.receiver.head?.contentLength == nil && !body.isWhole
            && !body.receiver.isFollowedRedirect
    }

    private mutating func setKeepsSending(_ keepsSending: Bool) {
        self.keepsSending = keepsSending
        handle?.set(CURLOPT_KEEP_SENDING_ON_ERROR, keepsSending ? 1 : 0)
    }

    private mutating func setVerbose(_ isVerbose: Bool) {
        self.isVerbose = isVerbose
        handle?.set(CURLOPT_VERBOSE, isVerbose ? 1 : 0)
    }

    private mutating func forbidReuse() {
        hasForbiddenReuse = true
        handle?.set(CURLOPT_FORBID_REUSE, 1)
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

    /// Whether no byte need move: until the reader of the response, or the source of a request body that was not refused,
    /// has more.
    var mayBeQuiet: Bool {
        body.receiver.mayBeQuiet || body.isWaiting
            || (upload.isHeld && body.receiver.head?.status.isSuccess ?? true)
    }

    /// Whether libcurl has sent more of the request body since it was asked last. It asks for the next part only when the
    /// last one is sent, which may be 512 KiB.
    mutating func hasSentMore() -> Bool {
        guard upload.isStream, let count = handle?.offset(CURLINFO_SIZE_UPLOAD_T) else { return false }
        defer { sentCount = count }
        return count > sentCount
    }

    /// Nil unless the server has closed the connection while the request body is paused: libcurl then waits for that alone,
    /// and for no socket. What it would end with otherwise. The end of HTTP/2 it reports itself.
    ///
    /// So it waits, too, behind a whole response after which it sends no more, as the server closes or has refused the body.
    var codeAfterClose: CURLcode? {
        guard upload.isHeld, connection.awaitsNothing, isConnected, !connection.isHTTP2, !body.isHeld
        else { return nil }
        guard let head = body.receiver.head else { return CURLE_GOT_NOTHING }
        if body.isWhole { return head.closesConnection || !head.status.isSuccess ? CURLE_OK : nil }
        return head.contentLength == nil && !body.isChunked ? CURLE_OK : CURLE_PARTIAL_FILE
    }

    /// Whether received data needs attention: more to decode, or a violation that libcurl does not know of.
    var isBehind: Bool { (body.isHeld && !body.isWaiting) || stop != nil }

    /// Whether a line of a response has arrived, even of an interim one.
    var hasResponseBegun: Bool { body.receiver.headByteCount > 0 }

    /// Whether the response was final and complete while the request was still being sent. What libcurl has taken it may
    /// still hold.
    var hasWholeEarlyAnswer: Bool { body.isWhole && hasUnsentBody }

    private var hasUnsentBody: Bool {
        if !upload.isEmpty { return true }
        let count = givenCount
        return count > 0 && (handle?.offset(CURLINFO_SIZE_UPLOAD_T) ?? 0) < count
    }

    /// How many bytes of the request body libcurl has been given.
    private var givenCount: Int64 { upload.isStream ? upload.given : body.receiver.request?.body.length ?? 0 }

    /// The same over HTTP/2, where the server may have closed the stream: libcurl 7.88 then waits for ever for its turn to
    /// send.
    var isAnsweredEarlyOnStream: Bool { connection.isHTTP2 && body.isWhole && (hasUnsentBody || mayHoldBody) }

    /// Whether libcurl may have taken the whole request body and wait to send it, behind a success. To send the end of an
    /// empty one it waits, too.
    private var mayHoldBody: Bool {
        guard CurlLibrary.shared.holdsUploads, let head = body.receiver.head,
            upload.isStream || givenCount > 0 || body.receiver.request?.method.definesContent == true
        else { return false }
        // Trailers may come later than the last byte.
        return head.status.isSuccess && head.headers["Trailer"] == nil
    }

    /// Whether libcurl may keep more of the response, or its end, and wait for the socket or for the request body.
    var mayMissBytes: Bool {
        guard connection.isHTTP2, isConnected, !body.isHeld, !body.isWhole else { return false }
        return upload.isHeld ? CurlLibrary.shared.isDeafWhilePaused : CurlLibrary.shared.missesBytes
    }
}
