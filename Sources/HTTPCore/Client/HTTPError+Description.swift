extension HTTPError: CustomStringConvertible {
    /// One sentence for a person: the request, the host and phase, the value at fault, and what to do. Secrets are
    /// masked.
    public var description: String {
        switch self {
        case .invalidRequest(let invalid): "\(invalid.method) \(invalid.url) was not sent: \(invalid.reason)"
        case .unsupported(let unsupported): "\(unsupported.feature) is not supported: \(unsupported.reason)"
        case .cancelled(let record): "\(record.line) was cancelled while \(record.doing)"
        case .timedOut(let failure): "\(failure.record.line) \(failure.sentence)"
        case .overloaded(let failure): "\(failure.record.line) was not sent: \(failure.sentence)"
        case .resolution(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .connection(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .tls(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .protocolViolation(let failure):
            "\(failure.record.line) failed while \(failure.record.doing): \(failure.record.authority) broke the protocol:"
                + " \(failure.reason)"
        case .truncatedBody(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .limitExceeded(let failure): "\(failure.record.line) was stopped: \(failure.sentence)"
        case .redirect(let failure): "\(failure.record.line) failed: \(failure.sentence)"
        case .unacceptableStatus(let response): response.refusal
        case .decoding(let failure):
            "\(failure.response.request) answered \(failure.response.status), but its body is not the expected"
                + " \(failure.target): \(failure.reason)\(failure.response.excerpt.map { ". It begins: \($0)" } ?? "")"
        }
    }
}

extension CallRecord {
    var line: String { url.isEmpty ? "a call" + (authority.isEmpty ? "" : " to \(authority)") : "\(method) \(url)" }

    /// The phase as a person would say it, with the host.
    var doing: String {
        let peer = metrics.remoteAddress.map { " (\($0))" } ?? ""
        return switch phase {
        case .queued: "waiting for its turn"
        case .starting: "starting"
        case .resolving: "resolving \(authority)"
        case .connecting: "connecting to \(authority)\(peer)"
        case .securing: "setting up TLS with \(authority)\(peer)"
        case .sending: "sending to \(authority)\(peer)"
        case .waiting: "waiting for \(authority)\(peer) to answer"
        case .receiving: "receiving from \(authority)\(peer)"
        }
    }

    /// ` (engine's words)`, where there are any.
    var engineWords: String { engine.map { " (\($0.message))" } ?? "" }
}

extension TimeoutFailure {
    var sentence: String {
        let subject =
            switch limit {
            case .connect: "the connect timeout of \(duration.text)"
            case .idle: "\(duration.text) without a byte"
            case .total: "the timeout of \(duration.text) for the whole call"
            }
        let remedy =
            switch limit {
            case .connect: ".connectTimeout"
            case .idle: ".idleTimeout"
            case .total: ".timeout"
            }
        return "timed out while \(record.doing): \(subject) ran out; \(remedy)(_:) raises it"
    }
}

extension Overload {
    var sentence: String {
        switch reason {
        case .queueFull:
            "\(queued) calls are waiting already, of \(limit) that may; make fewer at once, or raise the limit"
        case .noThreads: "the system gives no thread to make it on: make fewer calls at once, or raise its limit"
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
        let what =
            switch reason {
            case .refused: "\(record.authority) refuses connections: check that a server runs on that port"
            case .unreachable: "no way leads to \(record.authority): check the network and the address"
            case .closedBeforeResponse: "\(record.authority) closed the connection before it answered"
            case .broken: "the connection to \(record.authority) broke while \(record.doing)"
            case .proxy: "the proxy opened no way to \(record.authority): check its address and credentials"
            case .other: "no exchange with \(record.authority) while \(record.doing)"
            }
        let doubt = mayHaveBeenProcessed && !record.method.isIdempotent
        return what + (reason == .refused ? "" : record.engineWords)
            + (doubt ? "; the request may have taken effect: check before sending it again" : "")
    }
}

extension TLSFailure {
    var sentence: String {
        let host = record.authority
        let what =
            switch reason {
            case .untrusted:
                "no trusted authority vouches for the certificate of \(host): add its CA to the configuration"
            case .expired: "the certificate of \(host) has expired: its owner must renew it"
            case .notYetValid: "the certificate of \(host) is not valid yet: check the clock of this machine"
            case .revoked: "the certificate of \(host) was revoked"
            case .wrongHost: "the certificate of \(host) is for other names: check the host in the URL"
            case .wrongPin: "the key of \(host) is none of the pinned ones: do not send; check the pins or the network"
            case .clientCertificate: "\(host) wants a client certificate it accepts: give one in the configuration"
            case .badConfiguration: "the TLS configuration for \(host) cannot be used"
            case .handshake: "the TLS handshake with \(host) failed: check that it speaks TLS there, and which versions"
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
        switch limit {
        case .header:
            "the response head from \(record.authority) is larger than \(bytes) bytes; .headerLimit(_:) raises the limit"
        case .body:
            "the body from \(record.authority) is larger than \(bytes) bytes after decoding; .bodyLimit(_:) raises the limit"
        }
    }
}

extension RedirectFailure {
    var sentence: String {
        let target = location.map { " to \($0)" } ?? ""
        return switch reason {
        case .tooMany(let limit):
            "redirect \(limit + 1) (\(status)\(target)) is one more than allowed; .redirects(_:) raises the limit"
        case .cycle: "the redirect (\(status)\(target)) leads back to where the call has been"
        case .insecure:
            "the redirect (\(status)\(target)) leads from https to http; RedirectPolicy.allowsInsecureHop permits it"
        case .badLocation(let problem): "the redirect (\(status)) has a Location that \(problem)"
        }
    }
}

extension Duration {
    /// `1.5 s` or `20 ms`.
    fileprivate var text: String {
        let (seconds, attoseconds) = components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        guard milliseconds % 1000 != 0 else { return "\(seconds) s" }
        let digits = String(milliseconds % 1000 + 1000).dropFirst()
        return "\(seconds).\(digits.reversed().drop { $0 == "0" }.reversed().map(String.init).joined()) s"
    }
}
