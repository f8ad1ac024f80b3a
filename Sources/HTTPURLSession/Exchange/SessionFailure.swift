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

    init(_ error: any Error) {
        code = (error as? URLError)?.code ?? .unknown
        message = error.localizedDescription
    }

    var note: CallRecord.EngineNote { CallRecord.EngineNote(code: code.rawValue, message: message) }

    /// `received`: how many bytes of the body came.
    func error(_ record: CallRecord, head: ResponseHead?, received: Int64, isConnected: Bool) -> HTTPError {
        func connection(_ reason: ConnectionFailure.Reason, mayHaveBeenProcessed: Bool = true) -> HTTPError {
            .connection(ConnectionFailure(reason, mayHaveBeenProcessed: mayHaveBeenProcessed, record: record))
        }
        if let tlsReason { return .tls(TLSFailure(tlsReason, record: record.inPhase(.securing))) }
        switch code {
        case .cannotFindHost, .dnsLookupFailed:
            return .resolution(ResolutionFailure(host: host(record), record: record.inPhase(.resolving)))
        case .cannotConnectToHost:
            // The system says so of a refused connection alone on Linux, and of others as well on Apple's systems.
            return connection(.refused, mayHaveBeenProcessed: false)
        case .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed:
            return connection(.unreachable, mayHaveBeenProcessed: false)
        case .badURL, .appTransportSecurityRequiresSecureConnection:
            return .unsupported(Unsupported("the URL \(record.url)", message))
        // On Linux that is how answers are called that are no HTTP: the scheme was checked before.
        case .unsupportedURL where message != "unsupported URL":
            return .protocolViolation(ProtocolViolation(message, record: record))
        case .unsupportedURL: return .unsupported(Unsupported("the URL \(record.url)", message))
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            return .protocolViolation(ProtocolViolation(message, record: record))
        case .networkConnectionLost, .badServerResponse:
            return connection(head == nil ? .closedBeforeResponse : .broken)
        default: break
        }
        if isTruncation, let head { return truncated(head, received, record) }
        let words = message.lowercased()
        if ["chunk", "header", "weird", "encoding", "content-length"].contains(where: words.contains) {
            return .protocolViolation(ProtocolViolation(message, record: record))
        }
        if message.contains("connect") && !isConnected && message.contains("Failed") {
            return connection(.unreachable, mayHaveBeenProcessed: false)
        }
        return connection(.other)
    }

    private func host(_ record: CallRecord) -> String {
        URLComponents(string: record.url)?.host ?? record.authority
    }

    /// libcurl's words where it stands below; Foundation has no code for it.
    private var isTruncation: Bool {
        ["bytes remaining to read", "outstanding read data remaining"].contains(where: message.contains)
    }

    private func truncated(_ head: ResponseHead, _ received: Int64, _ record: CallRecord) -> HTTPError {
        let reason: TruncatedBody.Reason = head.contentLength.map { .contentLength(expected: $0) } ?? .chunked
        return .truncatedBody(TruncatedBody(reason, received: received, record: record))
    }

    private var tlsReason: TLSFailure.Reason? {
        switch code {
        case .serverCertificateHasBadDate: .expired
        case .serverCertificateNotYetValid: .notYetValid
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot: .untrusted
        case .clientCertificateRejected, .clientCertificateRequired: .clientCertificate
        case .secureConnectionFailed: .handshake
        default: wordsOfTLS
        }
    }

    /// libcurl's and OpenSSL's words.
    private var wordsOfTLS: TLSFailure.Reason? {
        let words = message.lowercased()
        guard words.contains("ssl") || words.contains("certificate") else { return nil }
        if words.contains("expired") { return .expired }
        if words.contains("not yet valid") { return .notYetValid }
        if words.contains("subject name") || words.contains("common name") { return .wrongHost }
        if words.contains("certificate required") { return .clientCertificate }
        return words.contains("certificate problem") ? .untrusted : .handshake
    }
}

extension CallRecord {
    fileprivate func inPhase(_ phase: CallPhase) -> CallRecord {
        var record = self
        record.phase = phase
        return record
    }
}
