import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The meaning of each error of URLSession: the only table of them.
struct SessionFailure: Sendable {
    let code: URLError.Code
    let message: String
    /// Whether it is one of CFNetwork's errors about a proxy, which are no URLError.
    var isOfProxy = false
    /// Whether the request may have been sent, although the code is also that of a connection that was never opened.
    var mayBeSent = false

    /// The kinds of failure that can be distinguished.
    enum Meaning: Equatable {
        case noAddress(isProxy: Bool)
        case refused
        case unreachable
        /// The proxy did not open a connection.
        case proxy
        case timedOut
        case tls(TLSFailure.Reason)
        /// The connection ended while a response, or the rest of one, was due.
        case closed
        /// It ended while the request was being sent.
        case broken
        case truncated
        /// The server gives the request up because it gets too many (RFC 9113 §7).
        case tooManyRequests
        case violation(ProtocolViolation.Kind)
        /// The head is too large for the engine.
        case headTooLarge
        case unknownCoding
        /// libcurl undoes the first member of a gzip body, and takes nothing after it (RFC 1952 §2.2 allows more).
        case bytesBehindCoding
        case cancelled
        case unusableURL
        case unusableProxy
        case unreadableBody
    }

    var note: CallRecord.UnderlyingError { CallRecord.UnderlyingError(code: code.rawValue, message: message) }

    /// The kind of failure; nil if it is unknown.
    var meaning: Meaning? { PlatformSession.meaning(of: self) ?? (isOfProxy ? .proxy : meaningOfCode) }

    private var meaningOfCode: Meaning? {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: .noAddress(isProxy: false)
        // On Linux this code means only a refused connection; on Apple's systems it has other causes too.
        case .cannotConnectToHost: .refused
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed: .unreachable
        case .timedOut: .timedOut
        case .serverCertificateHasBadDate: .tls(.expired)
        case .serverCertificateNotYetValid: .tls(.notYetValid)
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: .tls(.untrusted)
        case .clientCertificateRejected, .clientCertificateRequired: .tls(.clientCertificate)
        case .secureConnectionFailed: .tls(.handshake)
        // A lost connection, behind which the system wanted to send the body again.
        case .networkConnectionLost, .badServerResponse, .zeroByteResource, .requestBodyStreamExhausted: .closed
        case .cannotDecodeRawData, .cannotDecodeContentData: .violation(.contentCoding)
        case .cannotParseResponse, .httpTooManyRedirects, .redirectToNonExistentLocation, .dataLengthExceedsMaximum:
            .violation(.other)
        // On Linux this code also covers responses that are not HTTP. The scheme has already been checked.
        case .unsupportedURL: message == "unsupported URL" ? .unusableURL : .violation(.other)
        case .badURL, .appTransportSecurityRequiresSecureConnection: .unusableURL
        case .cancelled: .cancelled
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile: .unreadableBody
        default: nil
        }
    }

    /// `received`: the number of body bytes received.
    func error(_ record: CallRecord, head: ResponseHead?, received: Int64) -> HTTPError {
        let isConnected = head != nil || record.metrics.bytesSent > 0 || mayBeSent
        switch meaning {
        case .noAddress(let isProxy):
            let host = isProxy ? proxy : (try? HTTPURL(record.url))?.host ?? record.authority
            return .resolution(ResolutionFailure(host: host, isProxy: isProxy, record: record.inPhase(.resolving)))
        // Apple's systems have the same codes for a connection that is lost later.
        case .refused where isConnected, .unreachable where isConnected, .timedOut where isConnected,
            .tls(.handshake) where isConnected:
            return connection(.broken, record)
        case .refused where record.proxy != nil, .unreachable where record.proxy != nil:
            return unconnected(.proxy, record)
        case .refused: return unconnected(.refused, record)
        case .unreachable: return unconnected(.unreachable, record)
        case .proxy: return unconnected(.proxy, record)
        case .timedOut:
            let time = record.metrics.timings.complete
            return .timedOut(TimeoutFailure(.connect, after: time, record: record.inPhase(.connecting)))
        case .tls(let reason):
            return .tls(
                TLSFailure(reason, detail: PlatformSession.advice(reason), record: record.inPhase(.securing)))
        case .closed: return connection(head == nil ? .closedBeforeResponse : .broken, record)
        case .broken: return connection(.broken, record)
        case .tooManyRequests: return connection(.tooManyRequests, record)
        case .truncated:
            // Only TLS and HTTP/2 speak of an end without a head. The other messages are behind one, here of a redirect.
            guard let head else {
                let isEnd = ["unexpected eof", "underlying stream"].contains(where: message.contains)
                return connection(isEnd ? .closedBeforeResponse : .broken, record)
            }
            return .truncatedBody(
                TruncatedBody(head.truncation, received: onWire(received, of: head), record: record))
        case .violation(let kind):
            var violation = ProtocolViolation(message, kind: kind, record: record)
            violation.advice = EngineWords.advice(message)
            return .protocolViolation(violation)
        case .headTooLarge:
            return .limitExceeded(LimitExceeded(.header, value: largestHead, record: record))
        case .unknownCoding:
            let coding = head?.headers.combinedValue(for: "Content-Encoding") ?? ""
            return PlatformSession.unsupported(
                "the Content-Encoding \(coding.debugDescription) of \(record.url)",
                "takes no body in a coding that it does not know", isAnswered: true)
        case .cancelled: return .cancelled(record)
        case .unusableURL:
            return PlatformSession.unsupported("the URL \(record.url)", "refuses it (\(message))")
                .behindRedirects(record)
        case .unusableProxy:
            let remedy = "check http_proxy and https_proxy"
            return PlatformSession.unsupported("the proxy of the environment", "does not take its address: \(remedy)")
                .behindRedirects(record)
        case .unreadableBody: return .body(BodyFailure(.source, underlying: URLError(code), record: record))
        // libcurl reports a header line above 100 KiB in this way.
        case nil where message == "Out of memory" && head == nil:
            return .limitExceeded(LimitExceeded(.headerLine, value: 100 << 10, record: record))
        // The head of a redirect that names no place is lost.
        case .bytesBehindCoding where head == nil || head?.headers.contains("Content-Encoding") == true:
            let coding = head?.headers.combinedValue(for: "Content-Encoding").map {
                "the Content-Encoding \($0.debugDescription)"
            }
            return PlatformSession.unsupported(
                "the body of \(record.url) in \(coding ?? "its Content-Encoding")",
                "takes no bytes after the end of the coding, another member of gzip included", isAnswered: true)
        case .bytesBehindCoding, nil: return connection(.other, record)
        }
    }

    private func connection(_ reason: ConnectionFailure.Reason, _ record: CallRecord) -> HTTPError {
        .connection(ConnectionFailure(reason, mayHaveBeenProcessed: true, record: record))
    }

    private func unconnected(_ reason: ConnectionFailure.Reason, _ record: CallRecord) -> HTTPError {
        .connection(ConnectionFailure(reason, mayHaveBeenProcessed: false, record: record.inPhase(.connecting)))
    }

    /// From `transfer closed with 7 bytes remaining to read`: the engine counts before it decodes, and `received` after.
    private func onWire(_ received: Int64, of head: ResponseHead) -> Int64 {
        guard let length = head.contentLength else { return received }
        guard message.hasPrefix("transfer closed with") || message.hasPrefix("end of response with") else {
            return min(received, length)
        }
        let left = message.split(separator: " ").lazy.compactMap { Int64($0) }.first
        return left.map { length - $0 } ?? min(received, length)
    }

    /// From `Could not resolve proxy: name`.
    private var proxy: String {
        message.split(separator: ":", maxSplits: 1).dropFirst().first.map { $0.drop { $0 == " " } }.map(String.init)
            ?? "of the environment"
    }

    /// From `Too large response headers: 307547 > 307200`.
    private var largestHead: Int { message.split(separator: " ").last.flatMap { Int($0) } ?? 300 << 10 }
}

extension HTTPError {
    /// As the failure of the last redirect, if it led to what cannot be sent: `.unsupported` says that nothing was.
    func behindRedirects(_ record: CallRecord) -> HTTPError {
        guard case .unsupported(let problem) = self, let hop = record.redirects.last else { return self }
        let reason = "URLSession cannot follow: \(problem.feature) cannot be used, \(problem.reason)"
        return .redirect(
            RedirectFailure(.badLocation(reason), status: hop.status, location: hop.location, record: record))
    }
}

extension SessionFailure {
    init(_ error: any Error, mayBeSent: Bool = false) {
        let cause = error as NSError
        self.init(
            code: (error as? URLError)?.code ?? .unknown, message: error.localizedDescription,
            isOfProxy: cause.domain == "kCFErrorDomainCFNetwork" && 306...311 ~= cause.code, mayBeSent: mayBeSent)
    }
}

extension CallRecord {
    fileprivate func inPhase(_ phase: CallActivity) -> CallRecord {
        var record = self
        record.phase = phase
        return record
    }
}
