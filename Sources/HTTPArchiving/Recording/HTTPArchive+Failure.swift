extension HTTPArchive.Failure {
    /// Nil for an error that the server did not cause: one of the caller or of this machine.
    init?(_ error: HTTPError) {
        let phase = error.record?.phase.name
        switch error {
        case .timedOut(let failure):
            self.init(kind: "timedOut", reason: failure.limit.map { "\($0)" }, phase: phase)
            seconds = failure.duration.inSeconds
        case .resolution: self.init(kind: "resolution", phase: phase)
        case .connection(let failure):
            self.init(kind: "connection", reason: "\(failure.reason)", phase: phase)
            mayHaveBeenProcessed = failure.mayHaveBeenProcessed
            proxyStatus = failure.proxyStatus?.rawValue
        case .tls(let failure): self.init(kind: "tls", reason: "\(failure.reason)", phase: phase)
        case .protocolViolation(let failure):
            self.init(kind: "protocolViolation", reason: failure.reason, phase: phase)
        case .truncatedBody(let failure):
            self.init(kind: "truncatedBody", phase: phase)
            take(failure)
        case .invalidRequest, .unsupported, .cancelled, .destinationRefused, .limitExceeded,
            .body, .interceptor, .redirect, .unacceptableStatus, .decoding, .other:
            return nil
        }
        engine = error.record?.engine?.message
    }

    private mutating func take(_ truncated: TruncatedBody) {
        received = truncated.received
        switch truncated.reason {
        case .contentLength(let length): (reason, expected) = ("contentLength", length)
        case .chunked: reason = "chunked"
        case .contentCoding(let coding): reason = coding
        case .missingCloseNotify: reason = "missingCloseNotify"
        }
    }

    /// Restores the error, as far as it is known, for `request`.
    func error(_ request: Request, redirects: [RedirectHop]) -> HTTPError {
        var record = CallRecord(
            request, phase: phase.map(CallActivity.init(name:)) ?? .waiting, metrics: Metrics(attemptCount: 0),
            redirects: redirects)
        record.engine = engine.map { CallRecord.UnderlyingError(code: 0, message: $0) }
        switch kind {
        case "timedOut":
            let limit = reason.flatMap(TimeoutFailure.Limit.init(named:)) ?? .total
            let time = Duration.seconds(min(max(seconds ?? 0, 0), 1e9))
            if limit == .total, time != request.timeouts.total { return .timedOut(CallDeadline(time), record) }
            return .timedOut(TimeoutFailure(limit, after: time, record: record))
        case "resolution": return .resolution(ResolutionFailure(host: request.url.host, record: record))
        case "tls":
            return .tls(TLSFailure(reason.flatMap(TLSFailure.Reason.init(named:)) ?? .handshake, record: record))
        case "protocolViolation":
            let words = reason ?? "the recording does not say how"
            return .protocolViolation(ProtocolViolation(words, record: record))
        case "truncatedBody":
            return .truncatedBody(TruncatedBody(truncation, received: max(received ?? 0, 0), record: record))
        default:
            return .connection(
                ConnectionFailure(
                    reason.flatMap(ConnectionFailure.Reason.init(named:)) ?? .other,
                    mayHaveBeenProcessed: mayHaveBeenProcessed ?? true,
                    proxyStatus: proxyStatus.map { HTTPStatus($0) }, record: record))
        }
    }

    private var truncation: TruncatedBody.Reason {
        switch reason {
        case "contentLength": .contentLength(expected: max(expected ?? 0, 0))
        case "chunked", nil: .chunked
        case "missingCloseNotify": .missingCloseNotify
        case let coding?: .contentCoding(coding)
        }
    }

    /// From browsers' messages: names of Chromium's network errors.
    init(browserError words: String) {
        self.init(
            kind: "connection", reason: "\(ConnectionFailure.Reason.other)", phase: CallActivity.connecting.name)
        engine = words.isEmpty ? "the recording has no answer to it, and does not say why" : words
        let has = { (text: String) in words.contains(text) }
        if has("NAME_NOT_RESOLVED") || has("NAME_RESOLUTION_FAILED") { kind = "resolution" }
        if has("CONNECTION_REFUSED") { reason = "\(ConnectionFailure.Reason.refused)" }
        if has("ADDRESS_UNREACHABLE") || has("INTERNET_DISCONNECTED") {
            reason = "\(ConnectionFailure.Reason.unreachable)"
        }
        if has("CONNECTION_RESET") || has("CONNECTION_CLOSED") { reason = "\(ConnectionFailure.Reason.broken)" }
        if has("EMPTY_RESPONSE") { reason = "\(ConnectionFailure.Reason.closedBeforeResponse)" }
        if has("TIMED_OUT") { (kind, reason) = ("timedOut", "\(TimeoutFailure.Limit.total)") }
        if has("ERR_CERT_") || has("ERR_SSL_") {
            kind = "tls"
            let isUntrusted = has("AUTHORITY_INVALID")
            let certificate: TLSFailure.Reason =
                isUntrusted ? .untrusted : has("COMMON_NAME") ? .wrongHost : has("DATE_INVALID") ? .expired : .handshake
            reason = "\(certificate)"
        }
    }
}

extension CaseIterable {
    /// The case of this name, as printing it gives it and an archive keeps it.
    fileprivate init?(named name: String) {
        guard let match = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
        self = match
    }
}
