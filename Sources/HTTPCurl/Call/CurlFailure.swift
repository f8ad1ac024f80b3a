import CLibcurl
import HTTPSupport

extension HTTPError {
    /// Why `request` cannot be sent if the engine could not create its handles, which takes descriptors, too.
    init(_ problem: Unsupported, sending request: Request) {
        guard problem == .noDescriptors || SystemCall.isOutOfDescriptors() else {
            self = .unsupported(problem)
            return
        }
        self = .connection(
            ConnectionFailure(.outOfDescriptors, mayHaveBeenProcessed: false, record: CallRecord(request)))
    }
}

extension Unsupported {
    /// Checked at once: a moment later descriptors may be free again.
    static let noDescriptors = Unsupported("libcurl", "there are no descriptors for another transfer")
}

/// The meaning of each CURLcode: the only table of them.
struct CurlFailure {
    let code: CURLcode
    let note: CallRecord.UnderlyingError
    private let transfer: CurlTransfer
    /// Whether the server has said that it did not process the request.
    let isUnprocessed: Bool
    private let isReused: Bool
    private let verifyResult: Int
    private let isProxyTLS: Bool
    private let systemError: Int32
    private let isOutOfDescriptors: Bool

    init(code: CURLcode, transfer: CurlTransfer) {
        self.transfer = transfer
        let connection = transfer.exchange.connection
        note = CallRecord.UnderlyingError(code: Int(code.rawValue), message: transfer.errorMessage(for: code))
        // A newer libcurl calls an unusable key a bad argument.
        let isOfKey = code == CURLE_BAD_FUNCTION_ARGUMENT && note.message.contains("private key file")
        self.code = isOfKey ? CURLE_SSL_CERTPROBLEM : code
        // On a new connection libcurl resends only what HTTP/2 refused, by REFUSED_STREAM or by a GOAWAY with a lower
        // stream. On a kept one this looks the same as a connection that died, and one that a second request has joined is a
        // kept one to libcurl, for the first request, too.
        isUnprocessed =
            connection.hasRefusedResend && connection.isHTTP2 && connection.wasOpened
            && transfer.tlsPeer?.connection?.wasReused == false && !transfer.exchange.hasResponseBegun
            && !connection.isHTTP1Required
        isReused = transfer.handle.long(CURLINFO_NUM_CONNECTS) == 0
        // The proxy's TLS, until it has opened a tunnel.
        isProxyTLS =
            transfer.proxy?.kind == .https
            && (transfer.key.origin.scheme == .http || transfer.handle.long(CURLINFO_HTTP_CONNECTCODE) == 0)
        verifyResult = transfer.handle.long(isProxyTLS ? CURLINFO_PROXY_SSL_VERIFYRESULT : CURLINFO_SSL_VERIFYRESULT)
        systemError = Int32(transfer.handle.long(CURLINFO_OS_ERRNO))
        isOutOfDescriptors =
            switch code {
            case CURLE_COULDNT_CONNECT: connection.isOutOfDescriptors
            // A resolver needs files and sockets, TLS a file of authorities, and they do not report that they got none. libcurl
            // has closed two of its own by then, through which its resolver's thread answers.
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: SystemCall.isOutOfDescriptors(needing: 4)
            case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
                CURLE_SSL_CERTPROBLEM:
                SystemCall.isOutOfDescriptors()
            default: false
            }
    }

    private var head: ResponseHead? { transfer.exchange.body.receiver.head }
    private var hasResponseBegun: Bool { transfer.exchange.hasResponseBegun }
    private var isConnected: Bool { transfer.exchange.isConnected }
    var hasRefusedResend: Bool { transfer.exchange.connection.hasRefusedResend }
    private var isHTTP1Required: Bool { transfer.exchange.connection.isHTTP1Required }
    private var proxy: Proxy? { transfer.proxy }
    private var origin: Origin { transfer.key.origin }
    /// Why OpenSSL refused the certificate; 0 if it did not.
    private var refusal: Int { transfer.tlsPeer?.connection?.refusal ?? 0 }
    private var wantsCertificate: Bool { transfer.tlsPeer?.wantsCertificate ?? false }

    /// Whether a kept connection died before the response began, or one of HTTP/2 was ended (GOAWAY): most likely the server
    /// closed it before it saw the request.
    var isStale: Bool {
        // Over HTTP/2 the server would ask for HTTP/1.1 again.
        if isHTTP1Required { return false }
        if hasRefusedResend { return !hasResponseBegun }
        // Sending it once more, at once, is what the server asks not to do.
        if asksForFewer { return false }
        // The connection lives.
        if isStreamReset { return false }
        if isGoneAway { return true }
        let brokeOff = [
            CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM,
        ]
        return isReused && isConnected && !hasResponseBegun && brokeOff.contains(code)
    }

    /// Whether the server gave the request up because it gets too many (RFC 9113 §7).
    private var asksForFewer: Bool {
        (code == CURLE_HTTP2_STREAM || code == CURLE_HTTP2) && note.message.contains("ENHANCE_YOUR_CALM")
    }

    /// Whether the server reset the stream, for a reason that libcurl names.
    private var isStreamReset: Bool {
        code == CURLE_HTTP2_STREAM
            && ["closed cleanly:", "closed cleanly, but", "reset by server"].contains(where: note.message.contains)
    }

    /// The code with which the server reset the stream, if it means no fault (RFC 9113 §7). nghttp2 uses the others, too,
    /// when it resets a stream because of the server's frames.
    private var resetCode: String? {
        guard code == CURLE_HTTP2_STREAM || code == CURLE_HTTP2 else { return nil }
        return ["CANCEL", "INTERNAL_ERROR", "CONNECT_ERROR", "INADEQUATE_SECURITY", "SETTINGS_TIMEOUT"]
            .first(where: note.message.contains)
    }

    /// Whether the server ended the connection of HTTP/2 (GOAWAY) without the answer: for everything else libcurl has a
    /// message of its own.
    private var isGoneAway: Bool { code == CURLE_HTTP2 && !hasResponseBegun && lacksMessage }

    private var lacksMessage: Bool { note.message == String(cString: curl_easy_strerror(code)) }

    /// Whether the server ended the stream of a response that is whole or has no length, and no fault is known, while the
    /// request was sent: it wants no more of that (RFC 9113 §8.1). For every other reason libcurl has a message of its own.
    /// Whether the end of a body without a length came before, libcurl does not tell.
    ///
    /// From 8.1 on libcurl also fails to send if the last byte of the request closes the stream, because the response has
    /// ended. It receives before it sends, so a short body has come as a whole, unless the transfer was paused.
    var hasEndedStream: Bool {
        guard let head, head.contentLength == nil || transfer.exchange.body.isWhole, !transfer.exchange.body.isHeld
        else { return false }
        let isOver =
            code == CURLE_SEND_ERROR && lacksMessage && transfer.exchange.hasGivenBody
            && transfer.exchange.body.codedCount < 64 << 10
        return hasEndedEarly || (isOver && isSentOverHTTP2) || hasResetRefusedUpload
    }

    /// Whether libcurl reset the stream itself, behind a refusal that had ended while the request was sent.
    private var hasResetRefusedUpload: Bool {
        code == CURLE_HTTP2_STREAM && CurlLibrary.shared.resetsRefusedUploads && (head?.status.rawValue ?? 0) >= 400
            && !transfer.exchange.hasGivenBody && note.message.contains("STREAM_CLOSED")
    }

    private var hasEndedEarly: Bool { code == CURLE_HTTP2_STREAM && isSentOverHTTP2 && lacksMessage }

    /// Whether the request has a body, and goes over HTTP/2.
    private var isSentOverHTTP2: Bool { transfer.requestOptions.mayHaveBody && transfer.exchange.connection.isHTTP2 }

    /// Whether libcurl may have dropped the answer to a request with a body.
    private var mayLackAnswer: Bool { CurlLibrary.shared.dropsAnswers && head == nil && isSentOverHTTP2 }

    /// What is known when libcurl wants to send a request again on another connection: over HTTP/2 the server may have
    /// refused the stream, and the connection may live.
    private var unansweredStream: String? {
        transfer.exchange.connection.isHTTP2 ? "ended the exchange or the connection before it answered" : nil
    }

    /// The limit of libcurl, in bytes, that the response exceeds with its head, or with a line of that or of its trailers.
    /// Nil if it failed for another reason.
    var mostHeadBytes: Int? {
        // On a connection that others have used, it may be the head of another response.
        if note.message.contains(Self.refusedFields), transfer.tlsPeer?.connection?.wasReused != false { return nil }
        return Self.mostHeadBytes(code, note.message, behindHead: head != nil)
    }

    /// What libcurl before 8.1 says when the fields of a head or the trailers over HTTP/2 exceed its buffer.
    private static let refusedFields = "nghttp2_session_mem_recv() returned -902"

    static func mostHeadBytes(_ code: CURLcode, _ message: String, behindHead: Bool) -> Int? {
        if message.contains(refusedFields) { return 128 << 10 }
        // A trailer line.
        if behindHead { return message.hasPrefix("Out of memory in chunked") ? 4 << 10 : nil }
        // The whole head, from libcurl 8.3 on.
        if message.hasPrefix("Too large response headers") { return 300 << 10 }
        // From libcurl 8.14 on; there is no limit of ours to name.
        if message.hasPrefix("Too many response headers") { return nil }
        // A line.
        return code == CURLE_OUT_OF_MEMORY || code.rawValue == 100 ? 100 << 10 : nil
    }

    func error(_ record: CallRecord) -> HTTPError {
        if isHTTP1Required { return http1Required(record) }
        if isUnprocessed { return connection(.unprocessed, record) }
        if hasRefusedResend {
            return head == nil
                ? connection(.closedBeforeResponse, record, detail: unansweredStream) : connection(.broken, record)
        }
        if asksForFewer { return connection(.tooManyRequests, record) }
        if let resetCode { return broken("reset the stream (\(resetCode))", record) }
        if isOutOfDescriptors { return connection(.outOfDescriptors, record) }
        // libcurl looks each name up on a thread of its own.
        if note.message.contains("thread failed to start") {
            let advice = "make fewer calls at once, or raise the limit of threads"
            return connection(.other, record, detail: "was not looked up, for the system refused a thread: \(advice)")
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .resolution(ResolutionFailure(host: origin.host, record: record))
        case CURLE_COULDNT_RESOLVE_PROXY:
            return .resolution(ResolutionFailure(host: proxy?.host ?? origin.host, isProxy: true, record: record))
        case CURLE_ABORTED_BY_CALLBACK where transfer.exchange.connection.isAnswerToConnectTooLong:
            let answer = "the answer of the proxy \(record.proxy ?? "") to CONNECT is longer than 64 KiB"
            return connection(.proxy, record, detail: "was not reached: \(answer)")
        case CURLE_COULDNT_CONNECT where proxy != nil: return connection(.proxy, record)
        case CURLE_COULDNT_CONNECT: return connection(connectReason, record)
        case CURLE_INTERFACE_FAILED:
            return .unsupported(
                Unsupported(
                    transfer.localEnd?.words ?? "the local end of the connection",
                    "\(note.message): check that this machine has it, and that the server is of the same IP version"))
        case CURLE_PROXY where lacksAddressForProxy:
            var record = record
            record.phase = .resolving
            return .resolution(ResolutionFailure(host: origin.host, record: record))
        case CURLE_PROXY: return connection(.proxy, record)
        case CURLE_GOT_NOTHING where isProxyFailure: return connection(.proxy, record)
        case CURLE_GOT_NOTHING where wantsCertificate && !isReused: return tls(.clientCertificate, record)
        case CURLE_GOT_NOTHING where mayLackAnswer, CURLE_HTTP2_STREAM where mayLackAnswer && lacksMessage:
            return broken("ended the exchange", record)
        case CURLE_GOT_NOTHING: return connection(.closedBeforeResponse, record)
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: return brokenOff(record)
        // libcurl's message for HTTP/2 calls a response that never began a partial one.
        case CURLE_PARTIAL_FILE where head == nil: return connection(.closedBeforeResponse, record)
        case CURLE_PARTIAL_FILE: return truncated(record)
        case CURLE_UNSUPPORTED_PROTOCOL where note.message.contains("HTTP/0.9"):
            return noStatusLine(record)
        // Behind the head, of the trailers.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            return violation(head == nil ? .head : .framing, record)
        // nghttp2 could not write to a lost connection.
        case CURLE_HTTP2 where isGoneAway:
            return connection(.closedBeforeResponse, record, detail: "closed the connection before it answered")
        case CURLE_HTTP2 where !hasResponseBegun && (systemError == ECONNRESET || systemError == EPIPE):
            return connection(.closedBeforeResponse, record)
        case CURLE_HTTP2_STREAM where hasEndedEarly && head != nil: return truncated(record)
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3: return violation(.frames, record)
        case CURLE_BAD_CONTENT_ENCODING: return violation(.contentCoding, record)
        // The only code of libcurl for a malformed header field.
        case CURLE_BAD_FUNCTION_ARGUMENT where hasResponseBegun:
            let reason = "a line of its head is no field and continues none (RFC 9112 §5)"
            return .protocolViolation(ProtocolViolation(reason, kind: .head, record: record))
        case CURLE_URL_MALFORMAT:
            return .unsupported(Unsupported("the URL \(record.url)", "libcurl refuses it: \(note.message)"))
        case CURLE_OPERATION_TIMEDOUT:
            return .timedOut(TimeoutFailure(.connect, after: record.metrics.timings.complete, record: record))
        // The only use of this code without file:// URLs.
        case CURLE_UPLOAD_FAILED:
            return .unsupported(
                Unsupported("a body of unknown length", "\(record.authority) speaks HTTP/1.0: announce the length"))
        case CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION:
            return .unsupported(Unsupported("an option of this request", "libcurl refuses it: \(note.message)"))
        default: return tlsReason.map { tls($0, record) } ?? connection(.other, record)
        }
    }

    /// The stream was reset with HTTP_1_1_REQUIRED (RFC 9113 §7).
    private func http1Required(_ record: CallRecord) -> HTTPError {
        guard head == nil else {
            return .protocolViolation(
                ProtocolViolation("its stream was reset with HTTP_1_1_REQUIRED", kind: .frames, record: record))
        }
        return .unsupported(
            Unsupported(
                "HTTP/2 for \(record.url)",
                "\(record.authority) requires HTTP/1.1 there: ask for it with .version(.http1)"))
    }

    private func connection(
        _ reason: ConnectionFailure.Reason, _ record: CallRecord, detail: String? = nil
    ) -> HTTPError {
        var failure = ConnectionFailure(
            reason, mayHaveBeenProcessed: isConnected && !isUnprocessed,
            proxyStatus: reason == .proxy ? tunnelRefusal : nil, record: record)
        failure.detail = detail
        return .connection(failure)
    }

    /// The status of the proxy's last answer to CONNECT; nil without one, and if the tunnel was open.
    private var tunnelRefusal: HTTPStatus? {
        let status = HTTPStatus(transfer.handle.long(CURLINFO_HTTP_CONNECTCODE))
        return status == 0 || status.isSuccess ? nil : status
    }

    private func broken(_ detail: String, _ record: CallRecord) -> HTTPError {
        let loss = "libcurl \(CurlLibrary.shared.version) lost its answer, if there was one"
        let hint = mayLackAnswer ? ", and \(loss): .version(.http1) shows it" : ""
        return connection(.broken, record, detail: detail + hint)
    }

    private func violation(_ kind: ProtocolViolation.Kind, _ record: CallRecord) -> HTTPError {
        .protocolViolation(ProtocolViolation(note.message, kind: kind, record: record))
    }

    /// The answer of a server for TLS to a request in the clear is an alert, as a rule.
    private func noStatusLine(_ record: CallRecord) -> HTTPError {
        let reason = "it does not begin with a status line (\(note.message))"
        var violation = ProtocolViolation(reason, kind: .head, record: record)
        if origin.scheme == .http { violation.advice = "perhaps the server wants https" }
        return .protocolViolation(violation)
    }

    private func tls(_ reason: TLSFailure.Reason, _ record: CallRecord) -> HTTPError {
        var record = record
        // libcurl has no timing for a connection whose handshake failed.
        if record.phase == .connecting { record.phase = .securing }
        return .tls(TLSFailure(reason, isProxy: isProxyTLS, record: record))
    }

    /// Why a connection was not established. One that is reset at once was established.
    private var connectReason: ConnectionFailure.Reason {
        switch systemError {
        case ECONNREFUSED: .refused
        case ECONNRESET: .broken
        default: .unreachable
        }
    }

    /// Whether the server's name has no address to give to a SOCKS proxy. An address that SOCKS 4 cannot take is another
    /// matter, with the same code.
    private var lacksAddressForProxy: Bool {
        transfer.handle.long(CURLINFO_PROXY_ERROR) == Int(CURLPX_RESOLVE_HOST.rawValue)
            && !note.message.contains("not supported")
    }

    /// A connection that ended while data was still due.
    private func brokenOff(_ record: CallRecord) -> HTTPError {
        if note.message.contains("unexpected eof"), head != nil { return truncated(record) }
        // The messages of libcurl up to 8.15, and from 8.16 on.
        if ["chunked-encoding", "chunk hex-length", "invalid chunk size"].contains(where: note.message.contains) {
            return violation(.framing, record)
        }
        if let tlsReason { return tls(tlsReason, record) }
        // In TLS 1.3 the server reports this after the handshake, and may close before the alert is read.
        if wantsCertificate, !hasResponseBegun, !isReused { return tls(.clientCertificate, record) }
        if isProxyFailure { return connection(.proxy, record) }
        return connection(head == nil && code == CURLE_RECV_ERROR ? .closedBeforeResponse : .broken, record)
    }

    /// Whether the connection through the proxy was not established.
    private var isProxyFailure: Bool { proxy != nil && !isConnected }

    private func truncated(_ record: CallRecord) -> HTTPError {
        .truncatedBody(
            TruncatedBody(
                head?.truncation ?? .chunked, received: transfer.exchange.body.codedCount, record: record))
    }

    /// Nil when the failure is not a TLS failure.
    private var tlsReason: TLSFailure.Reason? {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: verificationReason(verifyResult)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .wrongPin
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_NOTFOUND:
            .badConfiguration
        case CURLE_SSL_CLIENTCERT: .clientCertificate
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_INVALIDCERTSTATUS:
            alertReason ?? (refusal == 0 ? .handshake : verificationReason(refusal))
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: alertReason
        default: nil
        }
    }

    /// OpenSSL's X509_V_ERR numbers, which libcurl passes on.
    private func verificationReason(_ result: Int) -> TLSFailure.Reason {
        switch result {
        case 9: .notYetValid
        case 10: .expired
        case 23: .revoked
        case 62, 64: .wrongHost
        // libcurl's own check of the names comes before its check of the result.
        case 0, 1: ["subject name", "common name"].contains(where: note.message.contains) ? .wrongHost : .untrusted
        default: .untrusted
        }
    }

    /// The server's alert about the client's certificate (RFC 8446 §6.2). In TLS 1.3 it arrives after the handshake, in
    /// place of the response, and only libcurl's message reveals it.
    private var alertReason: TLSFailure.Reason? {
        let words = [
            "certificate required", "alert bad certificate", "alert unknown ca", "alert unsupported certificate",
            "alert certificate expired", "alert certificate revoked", "alert certificate unknown",
            "alert access denied",
        ]
        if words.contains(where: note.message.contains) { return .clientCertificate }
        // A TLS 1.2 server sends only this alert to a client without a certificate (RFC 5246 §7.4.6).
        return wantsCertificate && note.message.contains("alert handshake failure") ? .clientCertificate : nil
    }
}
