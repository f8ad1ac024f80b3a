extension HTTPError: CustomStringConvertible {
    /// One sentence for a person: the request, the host and phase, the invalid value, and what to do. Secrets are
    /// masked, and invisible characters in foreign text are escaped.
    public var description: String { ASCII.printable(sentence + retryNote) }

    /// Why there was no further attempt, if the caller would expect one.
    private var retryNote: String {
        guard (response?.metrics ?? record?.metrics)?.isRetryRefused == true else { return "" }
        return "; it was not tried again, because the retries of other calls have used up the RetryBudget"
    }

    /// The same without the leading request, for a line that names it already.
    var reason: String {
        guard let line = record?.line, description.hasPrefix(ASCII.printable(line) + " ") else { return description }
        let rest = description.dropFirst(ASCII.printable(line).count + 1)
        let words = ["failed: ", "was not sent: ", "was stopped: "].first { rest.hasPrefix($0) }
        return String(rest.dropFirst(words?.count ?? 0))
    }

    private var sentence: String {
        switch self {
        case .invalidRequest(let invalid):
            (invalid.method.map { "\($0.rawValue) \(invalid.url) was not sent: " } ?? "") + invalid.reason
        case .unsupported(let unsupported): "\(unsupported.feature) cannot be used: \(unsupported.reason)"
        case .cancelled(let record?): "\(record.line) was cancelled while \(record.doing)"
        case .cancelled(nil): "the call was cancelled"
        case .timedOut(let failure): failure.sentence
        case .overloaded(let failure): "\(failure.record.line) was not sent: \(failure.sentence)"
        case .notCached(let failure): "\(failure.record.line) was not sent: \(failure.sentence)"
        case .resolution(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .destinationRefused(let failure): "\(failure.record.line) was not sent: \(failure.sentence)"
        case .connection(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .tls(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .protocolViolation(let failure):
            "\(failure.record.line) failed while \(failure.record.doing): the answer breaks the rules of HTTP:"
                + " \(failure.reason); whoever runs the server must correct it"
        case .truncatedBody(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .limitExceeded(let failure): "\(failure.record.line) was stopped: \(failure.sentence)"
        case .body(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .interceptor(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .redirect(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .unacceptableStatus(let response): response.refusal
        case .decoding(let failure): failure.sentence
        case .brokenPromise(let broken):
            broken.circle.isEmpty
                ? "the promise made at \(broken.file):\(broken.line) was dropped unresolved: resolve it on every path"
                : "promises wait for each other, and none would be resolved: they were made at "
                    + broken.circle.joined(separator: ", ") + "; let one of them follow a future that needs no other"
        }
    }
}

extension CallRecord {
    /// The line for the log, with the readable form of A-labels.
    var line: String {
        let request = url.isEmpty ? "a call" + (authority.isEmpty ? "" : " to \(authority)") : "\(method) \(url)"
        return request + HostName.note(authority)
    }

    /// The phase in words, with the host.
    var doing: String {
        // An address in the URL is not repeated.
        let address = metrics.remoteAddress.map { authority.contains($0) ? "" : " (\($0))" } ?? ""
        return phase.texts(at: .init(host: authority, firstPeer: firstPeer, address: address, proxy: proxy)).doing
    }

    /// The first peer of the connection: the proxy, if any.
    var firstPeer: String {
        unixSocketPath.map { "the unix-domain socket \($0)" } ?? proxy.map { "the proxy \($0)" } ?? authority
    }

    /// ` (engine's message)`, if there is one.
    var engineWords: String { engine.map { " (\($0.message))" } ?? "" }
}

extension TimeoutFailure {
    /// What blocks calls whose refresh is given up.
    static let tokenRefresh = "the token refresh"

    var sentence: String {
        guard let record, let limit else { return "the future timed out: \(duration.text) ran out" }
        let isOwn = limit != .total || record.timeout == duration
        let (what, remedy) =
            switch limit {
            case .connect: ("there was no connection within \(duration.text)", ".connectTimeout(_:) raises the limit")
            case .idle: ("no byte moved for \(duration.text)", ".idleTimeout(_:) raises the limit")
            case .total where isOwn:
                (
                    "the whole call took longer than \(duration.text)" + record.slotNote(of: duration),
                    record.slotAdvice(of: duration) ?? ".timeout(_:) raises the limit"
                )
            case .total:
                (
                    "the deadline around the call, of \(duration.text), has passed" + record.slotNote(of: duration),
                    record.slotAdvice(of: duration) ?? "give it more time"
                )
            }
        if let blockedBy, blockedBy == Self.tokenRefresh {
            return "\(record.line) timed out while \(record.doing): \(blockedBy) took longer than \(duration.text);"
                + " refreshTimeout of BearerTokens raises the limit"
        }
        if let blockedBy, record.slotAdvice(of: duration) != nil {
            let limit = isOwn ? "the whole call took longer than" : "the deadline around the call has passed, of"
            return "\(record.line) timed out while \(record.doing): \(limit) \(duration.text), and \(blockedBy);"
                + " \(remedy)"
        }
        if let blockedBy {
            let allowance = isOwn ? "the whole call may take" : "the deadline around the call allows"
            return "\(record.line) was not sent: \(blockedBy), and \(allowance) \(duration.text); \(remedy)"
        }
        return "\(record.line) timed out while \(record.doing): \(what); \(remedy)"
    }
}

extension CallRecord {
    /// The waits for a slot, if they took a tenth of the time that the call had, or more.
    private func slotWaits(of allowance: Duration) -> [CallWait] {
        let waits = metrics.waits.filter { $0.cause == .queued || $0.cause == .hostLimit }
        return waits.reduce(.zero) { $0 + $1.duration } * 10 >= allowance ? waits : []
    }

    fileprivate func slotNote(of allowance: Duration) -> String {
        let time = slotWaits(of: allowance).reduce(.zero) { $0 + $1.duration }
        return time > .zero ? ", of which it waited \(time.rounded.text) for its turn" : ""
    }

    /// What would have let it run earlier.
    fileprivate func slotAdvice(of allowance: Duration) -> String? {
        let longest = slotWaits(of: allowance).max { $0.duration < $1.duration }
        return longest.map { $0.advice ?? "make fewer calls at once" }
    }
}

extension Overload {
    var sentence: String {
        switch reason {
        case .queueFull:
            "\(queued) calls are waiting already and the limit is \(limit): make fewer at once, or raise the limit"
        case .noThreads: "the system refused to start a thread for it: make fewer calls at once, or raise its limit"
        }
    }
}

extension ResolutionFailure {
    var sentence: String {
        "the \(isProxy ? "proxy " : "")host \"\(host)\" has no address: check its spelling and the name server"
    }
}

extension ConnectionFailure {
    var sentence: String {
        let peer = record.authority
        let what =
            switch reason {
            case .refused where record.unixSocketPath == nil:
                "nothing accepts connections at \(record.firstPeer): check host and port, and that the server runs"
            case .refused: "nothing accepts connections at \(record.firstPeer): check that its server runs"
            case .unreachable where record.unixSocketPath == nil:
                "there is no route to \(record.firstPeer): check the network and the address"
            case .unreachable: "nobody listens at \(record.firstPeer): check the path and that its server runs"
            case .unprocessed: "\(peer) ended the exchange without processing the request (RFC 9113 §8.7)"
            case .closedBeforeResponse: "\(peer) closed the connection before it answered"
            case .broken: "the connection broke while \(record.doing)"
            case .proxy:
                "the proxy\(record.proxy.map { " \($0)" } ?? "") did not open a connection to \(peer):"
                    + " check its address and credentials"
            case .outOfDescriptors:
                "no connection to \(record.firstPeer), not even without the idle ones:"
                    + " \(SystemError.outOfDescriptors)"
            case .tooManyRequests:
                "\(peer) gets too many requests in too short a time (ENHANCE_YOUR_CALM, RFC 9113 §7): slow down"
            case .other: "something went wrong while \(record.doing)"
            }
        let saysAll = reason == .refused || reason == .outOfDescriptors || reason == .tooManyRequests
        return what + (saysAll ? "" : record.engineWords) + outlook
    }

    /// Whether to send the request again, if that is in question.
    private var outlook: String {
        if mayHaveBeenProcessed, !record.method.isIdempotent {
            return "; the request may have taken effect: check before sending it again"
        }
        switch reason {
        // As a server does that waits for a TLS handshake.
        case .closedBeforeResponse where record.url.hasPrefix("http:") && !record.metrics.isConnectionReused:
            return "; try again, or with https if that is what it speaks on this port"
        case .closedBeforeResponse, .broken, .unprocessed: return "; try again"
        case .refused, .unreachable, .proxy, .outOfDescriptors, .tooManyRequests, .other: return ""
        }
    }
}

extension TLSFailure {
    var sentence: String {
        let host = isProxy ? record.firstPeer : record.authority
        let what =
            switch reason {
            case .untrusted:
                "no trusted authority vouches for the certificate of \(host): if it comes from your own, add that one"
                    + " to TLSConfiguration.authorities"
            case .expired: "the certificate of \(host) has expired: its owner must renew it"
            case .notYetValid: "the certificate of \(host) is not valid yet: check the clock of this machine"
            case .revoked: "the certificate of \(host) was revoked: its owner must replace it"
            case .wrongHost: "the certificate of \(host) is for other names: check the host in the URL"
            case .wrongPin:
                "the key of \(host) is none of the pinned ones: someone may be intercepting it; after a planned change of"
                    + " keys, update TLSConfiguration.pins"
            case .clientCertificate:
                "\(host) wants a client certificate that it accepts: give one as TLSConfiguration.clientCertificate"
            case .badConfiguration where detail != nil:
                "the TLS configuration for \(host) cannot be used: \(detail ?? "")"
            case .badConfiguration:
                "the TLS configuration for \(host) cannot be used: check its certificates, key and password"
            case .handshake:
                "the TLS handshake with \(host) failed: check that it speaks TLS on that port, and which versions"
            }
        return what + record.engineWords
    }
}

extension TruncatedBody {
    var sentence: String {
        let what =
            switch reason {
            case .contentLength(let expected): "ended after \(received) of \(expected) bytes"
            case .chunked: "ended after \(received) bytes without its last chunk"
            case .contentCoding(let coding): "ended in the middle of its \(coding) coding"
            case .missingCloseNotify: "was cut off after \(received) bytes, without TLS being closed"
            }
        return "the body from \(record.authority) \(what): it is incomplete; try again"
    }
}

extension LimitExceeded {
    var sentence: String {
        let peer = record.authority
        let (what, remedy): (String, String?) =
            switch limit {
            case .headerLine:
                ("a line of the head from \(peer) is longer than \(size), the most that the engine takes", nil)
            case .header: ("the head of the response from \(peer) is larger than \(size)", ".headerLimit")
            case .body: ("the decoded body from \(peer) is larger than \(size)", ".bodyLimit")
            case .expansion:
                ("the body from \(peer) is more than \(bytes) times as large decoded as coded", ".expansionLimit")
            }
        guard let remedy else { return "\(what), and no setting raises that: whoever runs the server must shorten it" }
        return "\(what); \(remedy)(_:) raises the limit"
    }

    private var size: String {
        for (unit, name) in [(1 << 20, "MiB"), (1 << 10, "KiB")] where bytes >= unit && bytes.isMultiple(of: unit) {
            return "\(bytes / unit) \(name)"
        }
        return "\(bytes) bytes"
    }
}

extension RedirectFailure {
    var sentence: String {
        let place = location.map { (try? HTTPURL($0).description) ?? $0 }
        let redirect = "\(status)\(place.map { " to \($0)" } ?? "")"
        return switch reason {
        case .tooMany(let limit):
            "redirect \(limit + 1) (\(redirect)) is one more than allowed; .redirects(_:) raises the limit"
        case .cycle(let visits):
            "the redirect (\(redirect)) leads back to where the call has been \(visits == 1 ? "once" : "\(visits) times"): the"
                + " server may expect a cookie that was not sent; RedirectPolicy.visitsPerURL allows more visits"
        case .insecure:
            "the redirect (\(redirect)) leads from https to http; RedirectPolicy.allowsInsecureHop permits it"
        case .bodyNotReplayable:
            "the redirect (\(redirect)) needs the body again, which can be sent only once: give a replayable one"
        case .refusedByPolicy(let words):
            "the redirect (\(redirect)) was refused by the hook of the redirect policy: \(ASCII.printable(words))"
        case .badLocation(let problem):
            "the redirect (\(redirect)) has a Location that \(problem); with .redirects(.never) you get the response"
        }
    }
}

extension Duration {
    /// `1.5 s`, `20 ms` or `500 µs`.
    var text: String {
        let (seconds, attoseconds) = components
        let microseconds = attoseconds / 1_000_000_000_000
        guard seconds < 1 else { return "\(seconds)\(Self.fraction(microseconds / 1000)) s" }
        guard microseconds < 1000 else { return "\(microseconds / 1000)\(Self.fraction(microseconds % 1000)) ms" }
        return "\(microseconds) µs"
    }

    /// Thousandths as `.5`; empty for zero.
    private static func fraction(_ thousandths: Int64) -> String {
        guard thousandths > 0 else { return "" }
        var digits = String(thousandths + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "." + digits
    }
}
