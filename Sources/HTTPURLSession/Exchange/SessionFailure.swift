import HTTPCore

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// What an error of URLSession means for the caller: the only table of them.
struct SessionFailure: Sendable {
    let code: URLError.Code
    let message: String

    /// The kinds of failure that can be told apart.
    enum Meaning: Equatable {
        case noAddress(isProxy: Bool)
        case refused
        case unreachable
        /// The proxy opened no connection.
        case proxy
        case timedOut
        case tls(TLSFailure.Reason)
        /// The connection ended while an answer, or the rest of one, was due.
        case closed
        /// It ended while the request was being sent.
        case broken
        case truncated
        case violation(ProtocolViolation.Kind)
        /// The engine takes no head of that size.
        case headTooLarge
        case unknownCoding
        case cancelled
        case unusableURL
        case unreadableBody
    }

    init(_ error: any Error) {
        self.init(code: (error as? URLError)?.code ?? .unknown, message: error.localizedDescription)
    }

    init(code: URLError.Code, message: String) {
        self.code = code
        self.message = message
    }

    var note: CallRecord.UnderlyingError { CallRecord.UnderlyingError(code: code.rawValue, message: message) }

    /// Nil for a failure of no kind that is known.
    var meaning: Meaning? {
        EngineWords.meaning(of: message, isRefused: code == .cannotConnectToHost) ?? meaningOfCode
    }

    private var meaningOfCode: Meaning? {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: .noAddress(isProxy: false)
        // The system says so of a refused connection alone on Linux, and of others as well on Apple's systems.
        case .cannotConnectToHost: .refused
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed: .unreachable
        case .timedOut: .timedOut
        case .serverCertificateHasBadDate: .tls(.expired)
        case .serverCertificateNotYetValid: .tls(.notYetValid)
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: .tls(.untrusted)
        case .clientCertificateRejected, .clientCertificateRequired: .tls(.clientCertificate)
        case .secureConnectionFailed: .tls(.handshake)
        case .networkConnectionLost, .badServerResponse, .zeroByteResource: .closed
        case .cannotDecodeRawData, .cannotDecodeContentData: .violation(.contentCoding)
        case .cannotParseResponse, .httpTooManyRedirects, .redirectToNonExistentLocation, .dataLengthExceedsMaximum:
            .violation(.other)
        // On Linux answers that are no HTTP are called that, too: the scheme was checked before.
        case .unsupportedURL: message == "unsupported URL" ? .unusableURL : .violation(.other)
        case .badURL, .appTransportSecurityRequiresSecureConnection: .unusableURL
        case .cancelled: .cancelled
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile: .unreadableBody
        default: nil
        }
    }

    /// `received`: how many bytes of the body came.
    func error(_ record: CallRecord, head: ResponseHead?, received: Int64) -> HTTPError {
        switch meaning {
        case .noAddress(let isProxy):
            let host = isProxy ? proxy : URLComponents(string: record.url)?.host ?? record.authority
            return .resolution(ResolutionFailure(host: host, isProxy: isProxy, record: record.inPhase(.resolving)))
        case .refused: return unconnected(.refused, record)
        case .unreachable: return unconnected(.unreachable, record)
        case .proxy: return unconnected(.proxy, record)
        case .timedOut:
            let time = record.metrics.timings.complete
            return .timedOut(TimeoutFailure(.connect, after: time, record: record.inPhase(.connecting)))
        case .tls(let reason): return .tls(TLSFailure(reason, record: record.inPhase(.securing)))
        case .closed: return connection(head == nil ? .closedBeforeResponse : .broken, record)
        case .broken: return connection(.broken, record)
        case .truncated:
            guard let head else { return connection(.closedBeforeResponse, record) }
            return .truncatedBody(TruncatedBody(head.truncation, received: received, record: record))
        case .violation(let kind): return .protocolViolation(ProtocolViolation(message, kind: kind, record: record))
        case .headTooLarge:
            return .limitExceeded(LimitExceeded(.header, bytes: largestHead, record: record))
        case .unknownCoding:
            let coding = head?.headers.combinedValue(for: "Content-Encoding") ?? ""
            return PlatformSession.unsupported(
                "the Content-Encoding \(coding.debugDescription) of \(record.url)",
                "it takes no body in a coding it does not know")
        case .cancelled: return .cancelled(record)
        case .unusableURL: return PlatformSession.unsupported("the URL \(record.url)", "it refuses it (\(message))")
        case .unreadableBody: return .body(BodyFailure(.source, underlying: URLError(code), record: record))
        // libcurl takes no header line beyond 100 KiB, and calls that so.
        case nil where message == "Out of memory" && head == nil:
            return .limitExceeded(LimitExceeded(.header, bytes: 100 << 10, record: record))
        case nil: return connection(.other, record)
        }
    }

    private func connection(_ reason: ConnectionFailure.Reason, _ record: CallRecord) -> HTTPError {
        .connection(ConnectionFailure(reason, mayHaveBeenProcessed: true, record: record))
    }

    private func unconnected(_ reason: ConnectionFailure.Reason, _ record: CallRecord) -> HTTPError {
        .connection(ConnectionFailure(reason, mayHaveBeenProcessed: false, record: record.inPhase(.connecting)))
    }

    /// From `Could not resolve proxy: name`.
    private var proxy: String {
        message.split(separator: ":", maxSplits: 1).dropFirst().first.map { $0.drop { $0 == " " } }.map(String.init)
            ?? "of the environment"
    }

    /// From `Too large response headers: 307547 > 307200`.
    private var largestHead: Int { message.split(separator: " ").last.flatMap { Int($0) } ?? 300 << 10 }
}

extension ResponseHead {
    /// What is missing of a body that broke off.
    fileprivate var truncation: TruncatedBody.Reason {
        if let contentLength { return .contentLength(expected: contentLength) }
        return headers.contains("Transfer-Encoding") ? .chunked : .missingCloseNotify
    }
}

extension CallRecord {
    fileprivate func inPhase(_ phase: CallPhase) -> CallRecord {
        var record = self
        record.phase = phase
        return record
    }
}
