import HTTPSupport

/// A connection that could not be opened, or that was lost.
public struct ConnectionFailure: Error, Sendable, Hashable {
    /// Why the connection failed.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// Nothing accepts connections at that address and port.
        case refused
        /// There is no route to the address.
        case unreachable
        /// The connection was closed before the response began.
        case closedBeforeResponse
        /// The connection, or the request's stream of HTTP/2, was closed or reset in the middle.
        case broken
        /// The proxy refused the connection to the server.
        case proxy
        /// The process or the system has reached its limit of open files and sockets, although the transport has closed
        /// its idle connections. Nothing was sent.
        case outOfDescriptors
        /// The server gave the request up because it gets too many in too short a time, or, as Apache, because its head is too
        /// large (ENHANCE_YOUR_CALM, RFC 9113 §7).
        case tooManyRequests
        /// The server has said that it did not process the request (REFUSED_STREAM or GOAWAY, RFC 9113 §8.7).
        case unprocessed
        /// Any other failure; the record has the engine's message.
        case other
    }

    /// Why it failed.
    public let reason: Reason
    /// Whether the server may have received a request of the call, whole or in part: this one, or one before a redirect or
    /// a retry. A request that is not idempotent may then have taken effect. False if nothing was sent, or if the server
    /// has said that it did not process the request (RFC 9113 §8.7).
    public let mayHaveBeenProcessed: Bool
    /// The status with which the proxy refused the tunnel to the server (CONNECT, RFC 9110 §9.3.6); nil if it gave none, and
    /// over URLSession.
    public let proxyStatus: HTTPStatus?
    /// What the peer did, if more is known than the reason.
    package var detail: String?
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failed connection. `mayHaveBeenProcessed` is false only if it is certain that the server has not processed the
    /// request.
    public init(
        _ reason: Reason, mayHaveBeenProcessed: Bool, proxyStatus: HTTPStatus? = nil, record: CallRecord
    ) {
        self.reason = reason
        self.mayHaveBeenProcessed = mayHaveBeenProcessed
        self.proxyStatus = proxyStatus
        self.record = record
    }
}

extension ConnectionFailure: CallFailure, DescribedPayload {
    var error: HTTPError { .connection(self) }
    var shortReason: String { reason == .refused ? "connection refused" : "connection failed" }

    var sentence: String {
        let peer = record.authority
        if let detail { return "\(peer) \(detail)\(outlook)" }
        let what =
            switch reason {
            case .refused where record.unixSocketPath == nil:
                "nothing accepts connections at \(record.firstPeer): check host and port, and that the server runs"
            case .refused: "nothing accepts connections at \(record.firstPeer): check that its server runs"
            case .unreachable where record.unixSocketPath == nil:
                "there is no route to \(record.firstPeer): check the network and the address"
            case .unreachable: "nobody listens at \(record.firstPeer): check the path and that its server runs"
            case .unprocessed: "\(peer) ended the exchange without processing the request (RFC 9113 §8.7)"
            case .closedBeforeResponse:
                peer + (record.proxy.map { ", or the proxy \($0)," } ?? "")
                    + " closed the connection before it answered"
            case .broken: "the connection broke while \(record.doing)"
            case .proxy:
                "the proxy\(record.proxy.map { " \($0)" } ?? "") did not open a connection to \(peer):"
                    + " check its address, its credentials and what it allows"
            case .outOfDescriptors:
                "no connection to \(record.firstPeer), not even without the idle ones:"
                    + " \(SystemError.outOfDescriptors)"
            case .tooManyRequests:
                "\(peer) gets too many requests in too short a time, or one with too large a head"
                    + " (ENHANCE_YOUR_CALM, RFC 9113 §7): slow down"
            case .other: "something went wrong while \(record.doing)"
            }
        let saysAll = reason == .refused || reason == .outOfDescriptors || reason == .tooManyRequests
        return what + (saysAll ? "" : record.engineWords) + outlook
    }

    /// Whether to send the request again, if that is in question.
    private var outlook: String {
        if mayHaveBeenProcessed, let warning = record.warning { return warning }
        switch reason {
        // As a server does that waits for a TLS handshake.
        case .closedBeforeResponse
        where record.url.hasPrefix("http:") && record.proxy == nil && !record.metrics.isConnectionReused:
            return "; try again, or with https if that is what it speaks on this port"
        case .closedBeforeResponse, .broken, .unprocessed: return "; try again"
        case .refused, .unreachable, .proxy, .outOfDescriptors, .tooManyRequests, .other: return ""
        }
    }
}

extension HTTPError {
    /// The same error at the end of a call whose earlier requests the server may have processed.
    package var afterProcessing: HTTPError {
        guard case .connection(let failure) = self else { return self }
        var later = ConnectionFailure(
            failure.reason, mayHaveBeenProcessed: true, proxyStatus: failure.proxyStatus, record: failure.record)
        later.detail = failure.detail
        return .connection(later)
    }
}

/// A host name that has no address, or whose lookup failed.
public struct ResolutionFailure: Error, Sendable, Hashable {
    /// The name that was looked up: the server's, or the proxy's.
    public let host: String
    /// Whether it is the name of the proxy.
    public let isProxy: Bool
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failed lookup of `host`.
    public init(host: String, isProxy: Bool = false, record: CallRecord) {
        self.host = host
        self.isProxy = isProxy
        self.record = record
    }
}

extension ResolutionFailure: CallFailure, DescribedPayload {
    var error: HTTPError { .resolution(self) }
    var shortReason: String { "no address" }

    var sentence: String {
        "the \(isProxy ? "proxy " : "")host \"\(host)\" has no address: check its spelling and the name server"
    }
}
