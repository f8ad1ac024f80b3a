/// A request that breaks a rule.
public struct InvalidRequest: Error, Sendable, Hashable {
    public let method: HTTPMethod
    /// As the caller wrote it, secrets masked.
    public let url: String
    /// A sentence that names the value at fault.
    public let reason: String

    public init(_ draft: MutableRequest, _ reason: String) {
        method = draft.method
        url = RequestValidation.shownURL(of: draft)
        self.reason = reason
    }
}

/// Something the transport cannot do: an option its engine lacks, or a setting it cannot use.
public struct Unsupported: Error, Sendable, Hashable {
    public let feature: String
    /// Why, and what would help.
    public let reason: String

    public init(_ feature: String, _ reason: String) {
        self.feature = feature
        self.reason = reason
    }
}

public struct TimeoutFailure: Error, Sendable, Hashable {
    /// Which of the request's timeouts ran out.
    public enum Limit: String, Sendable, Hashable { case connect, idle, total }

    /// Nil for a limit on a future, which knows of no call.
    public let limit: Limit?
    public let duration: Duration
    public internal(set) var record: CallRecord?
    /// What would have kept the call waiting beyond its time, and so kept it from being sent: a rate limit, in words.
    public let blockedBy: String?

    public init(_ limit: Limit, after duration: Duration, record: CallRecord, blockedBy: String? = nil) {
        self.limit = limit
        self.duration = duration
        self.record = record
        self.blockedBy = blockedBy
    }

    /// Of a future.
    public init(after duration: Duration) {
        limit = nil
        self.duration = duration
        record = nil
        blockedBy = nil
    }

    /// What the call was doing.
    public var phase: CallPhase? { record?.phase }
}

public struct Overload: Error, Sendable, Hashable {
    public enum Reason: String, Sendable, Hashable {
        /// As many calls are waiting as may.
        case queueFull
        /// The system gives no thread, and there is none that could make the call later.
        case noThreads
    }

    public let reason: Reason
    /// How many calls may wait.
    public let limit: Int
    /// How many were waiting.
    public let queued: Int
    public internal(set) var record: CallRecord

    public init(_ reason: Reason, limit: Int, queued: Int, record: CallRecord) {
        self.reason = reason
        self.limit = limit
        self.queued = queued
        self.record = record
    }
}

public struct ResolutionFailure: Error, Sendable, Hashable {
    /// The name without an address: the server's, or the proxy's.
    public let host: String
    public let isProxy: Bool
    public internal(set) var record: CallRecord

    public init(host: String, isProxy: Bool = false, record: CallRecord) {
        self.host = host
        self.isProxy = isProxy
        self.record = record
    }
}

public struct ConnectionFailure: Error, Sendable, Hashable {
    public enum Reason: String, Sendable, Hashable {
        /// Nothing accepts connections there.
        case refused
        /// No way leads there.
        case unreachable
        /// The connection was closed before the response began.
        case closedBeforeResponse
        /// The connection was closed or reset in the middle.
        case broken
        /// The proxy did not open the way.
        case proxy
        /// The process, or the system, has as many files and sockets open as it may, so that there is none for the
        /// connection. Nothing was sent.
        case outOfDescriptors
        /// Any other failure; the record has the engine's words.
        case other
    }

    public let reason: Reason
    /// Whether the server can have received the request, whole or in part: then a request that is not idempotent may
    /// have taken effect.
    public let mayHaveBeenProcessed: Bool
    public internal(set) var record: CallRecord

    public init(_ reason: Reason, mayHaveBeenProcessed: Bool, record: CallRecord) {
        self.reason = reason
        self.mayHaveBeenProcessed = mayHaveBeenProcessed
        self.record = record
    }
}

public struct TLSFailure: Error, Sendable, Hashable {
    public enum Reason: String, Sendable, Hashable {
        /// No trusted authority vouches for the certificate: self-signed, or its issuer is unknown.
        case untrusted
        case expired
        case notYetValid
        case revoked
        /// The certificate is for other names.
        case wrongHost
        /// The certificate's key is none of the pinned ones.
        case wrongPin
        /// The server wants a certificate from the client, or refused the one it got.
        case clientCertificate
        /// The client's own certificate, key or authorities cannot be used.
        case badConfiguration
        /// The sides found no common version or cipher, or the handshake broke.
        case handshake
    }

    public let reason: Reason
    /// Whether it was the connection to a TLS proxy that failed, and not that to the server.
    public let isProxy: Bool
    public internal(set) var record: CallRecord

    public init(_ reason: Reason, isProxy: Bool = false, record: CallRecord) {
        self.reason = reason
        self.isProxy = isProxy
        self.record = record
    }
}

/// The server sent something that is no valid HTTP response, or not one to this request.
public struct ProtocolViolation: Error, Sendable, Hashable {
    /// The part of the response that is wrong.
    public enum Kind: Sendable, Hashable {
        /// The status line or the header fields (RFC 9112 §4, §5), or a status that nobody asked for.
        case head
        /// Where the body ends: its lengths, chunk sizes and trailers (RFC 9112 §6, §7).
        case framing
        /// The body is not what its Content-Encoding says (RFC 9110 §8.4). Asking again without a coding may help.
        case contentCoding
        /// The frames of HTTP/2 (RFC 9113).
        case frames
        /// Something else; `reason` says what.
        case other
    }

    public let kind: Kind
    /// What the server sent and which rule it breaks.
    public let reason: String
    public internal(set) var record: CallRecord

    public init(_ reason: String, kind: Kind = .other, record: CallRecord) {
        self.kind = kind
        self.reason = reason
        self.record = record
    }
}

public struct TruncatedBody: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// Fewer bytes came than Content-Length says.
        case contentLength(expected: Int64)
        /// The last chunk never came.
        case chunked
        /// A content coding (`gzip`, `br` …) ended in the middle.
        case contentCoding(String)
        /// TLS was cut without the closing message that tells an end from an attack (RFC 8446 §6.1).
        case missingCloseNotify
    }

    public let reason: Reason
    public let received: Int64
    public internal(set) var record: CallRecord

    public init(_ reason: Reason, received: Int64, record: CallRecord) {
        self.reason = reason
        self.received = received
        self.record = record
    }
}

public struct LimitExceeded: Error, Sendable, Hashable {
    public enum Limit: String, Sendable, Hashable {
        /// `Limits.headerBytes`, raised by `.headerLimit`.
        case header
        /// `Limits.bodyBytes`, raised by `.bodyLimit`.
        case body
        /// `Limits.expansion`, raised by `.expansionLimit`.
        case expansion
    }

    public let limit: Limit
    /// The limit's size. Of `.expansion`, decoded bytes for each coded one.
    public let bytes: Int
    public internal(set) var record: CallRecord

    public init(_ limit: Limit, bytes: Int, record: CallRecord) {
        self.limit = limit
        self.bytes = bytes
        self.record = record
    }
}

public struct RedirectFailure: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        case tooMany(limit: Int)
        /// It leads to where the call has been `visits` times: as often as `RedirectPolicy.visitsPerURL` allows.
        case cycle(visits: Int)
        /// From https to http.
        case insecure
        /// The Location occurs with different values, carries credentials, or cannot be read as an http or https URL.
        case badLocation(String)
        /// It repeats the request, whose body was given for a single use.
        case bodyNotReplayable
        /// The hook of the policy refused it, in its words.
        case refusedByPolicy(String)
    }

    public let reason: Reason
    /// The status of the redirect that was not followed.
    public let status: HTTPStatus
    /// Where it points, secrets masked; nil when it cannot be read.
    public let location: String?
    public internal(set) var record: CallRecord

    public init(_ reason: Reason, status: HTTPStatus, location: HTTPURL? = nil, record: CallRecord) {
        self.reason = reason
        self.status = status
        self.location = location.map(Redaction.url)
        self.record = record
    }
}

public struct BrokenPromise: Error, Sendable, Hashable {
    /// Where the promise was made.
    public let file: String
    public let line: Int

    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }
}
