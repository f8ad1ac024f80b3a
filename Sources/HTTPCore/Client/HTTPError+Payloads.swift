/// A request that breaks a rule.
public struct InvalidRequest: Error, Sendable, Hashable {
    /// The method of the request that was not sent.
    public let method: HTTPMethod
    /// As the caller wrote it, secrets masked.
    public let url: String
    /// A sentence that names the value at fault.
    public let reason: String

    /// An error for `draft`; `reason` is a sentence that names the value at fault.
    public init(_ draft: MutableRequest, _ reason: String) {
        method = draft.method
        url = RequestValidation.shownURL(of: draft)
        self.reason = reason
    }
}

/// Something the transport cannot do: an option its engine lacks, or a setting it cannot use.
public struct Unsupported: Error, Sendable, Hashable {
    /// What was asked for, as a noun phrase: "a client certificate".
    public let feature: String
    /// Why, and what would help.
    public let reason: String

    /// An error for `feature`; `reason` says why it cannot be had and what would help.
    public init(_ feature: String, _ reason: String) {
        self.feature = feature
        self.reason = reason
    }
}

/// A timeout that passed, and the phase of the call.
public struct TimeoutFailure: Error, Sendable, Hashable {
    /// Which of the request's timeouts ran out.
    public enum Limit: String, Sendable, Hashable {
        /// `Timeouts.connect`: the connection was not there in time, TLS included.
        case connect
        /// `Timeouts.idle`: too long a pause between two bytes.
        case idle
        /// `Timeouts.total`: the whole call took too long, redirects, retries and waits included.
        case total
    }

    /// Nil for a limit on a future, which knows of no call.
    public let limit: Limit?
    /// How long the limit was.
    public let duration: Duration
    /// The record of the call, secrets masked; nil for a limit on a future, which has no call.
    public internal(set) var record: CallRecord?
    /// What would have kept the call waiting beyond its time, and so kept it from being sent: a rate limit, in words.
    public let blockedBy: String?

    /// A failure of the request's timeout `limit`, which was `duration` long.
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

    /// The phase of the call.
    public var phase: CallPhase? { record?.phase }
}

/// A call that a dispatcher did not take, since too many are waiting already.
public struct Overload: Error, Sendable, Hashable {
    /// Why a call was not taken.
    public enum Reason: String, Sendable, Hashable {
        /// As many calls are waiting as may.
        case queueFull
        /// The system refused to start a thread, and there is no other that could make the call later.
        case noThreads
    }

    /// Why it was not taken.
    public let reason: Reason
    /// How many calls may wait.
    public let limit: Int
    /// How many were waiting.
    public let queued: Int
    /// The request that was not sent, secrets masked.
    public internal(set) var record: CallRecord

    /// A refusal by a queue of `limit` calls, of which `queued` were waiting.
    public init(_ reason: Reason, limit: Int, queued: Int, record: CallRecord) {
        self.reason = reason
        self.limit = limit
        self.queued = queued
        self.record = record
    }
}

/// A host name that has no address, or whose lookup failed.
public struct ResolutionFailure: Error, Sendable, Hashable {
    /// The name without an address: the server's, or the proxy's.
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

/// A connection that could not be opened, or that broke.
public struct ConnectionFailure: Error, Sendable, Hashable {
    /// Why there is no connection, or no longer one.
    public enum Reason: String, Sendable, Hashable {
        /// Nothing accepts connections there.
        case refused
        /// There is no route to the address.
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

    /// Why it failed.
    public let reason: Reason
    /// Whether the server can have received the request, whole or in part: then a request that is not idempotent may
    /// have taken effect.
    public let mayHaveBeenProcessed: Bool
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failure of the connection. `mayHaveBeenProcessed` is false only where no byte of the request can have
    /// reached the server.
    public init(_ reason: Reason, mayHaveBeenProcessed: Bool, record: CallRecord) {
        self.reason = reason
        self.mayHaveBeenProcessed = mayHaveBeenProcessed
        self.record = record
    }
}

/// A TLS handshake that failed: the certificate is not accepted, or no common version or cipher was found.
public struct TLSFailure: Error, Sendable, Hashable {
    /// Why the handshake failed.
    public enum Reason: String, Sendable, Hashable {
        /// No trusted authority vouches for the certificate: self-signed, or its issuer is unknown.
        case untrusted
        /// The certificate, or one of its chain, has expired.
        case expired
        /// The certificate, or one of its chain, is not valid yet. The clock of this machine may be wrong.
        case notYetValid
        /// The certificate was revoked by its issuer.
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

    /// Why it failed.
    public let reason: Reason
    /// Whether it was the connection to a TLS proxy that failed, and not that to the server.
    public let isProxy: Bool
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failed handshake, with the server or with a TLS proxy.
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
        /// The status line or the header fields (RFC 9112 §4, §5), or a status that was not asked for.
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

    /// Which part of the message breaks a rule.
    public let kind: Kind
    /// What the server sent and which rule it breaks.
    public let reason: String
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A violation; `reason` says what the server sent and which rule it breaks.
    public init(_ reason: String, kind: Kind = .other, record: CallRecord) {
        self.kind = kind
        self.reason = reason
        self.record = record
    }
}

/// A body that ended before it was whole.
public struct TruncatedBody: Error, Sendable, Hashable {
    /// How it is known that the body is incomplete.
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

    /// How it is known that the body is incomplete.
    public let reason: Reason
    /// How many bytes of the body were delivered, after content decoding.
    public let received: Int64
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A body that ended after `received` bytes.
    public init(_ reason: Reason, received: Int64, record: CallRecord) {
        self.reason = reason
        self.received = received
        self.record = record
    }
}

/// A response that is larger than the request's `Limits` allow.
public struct LimitExceeded: Error, Sendable, Hashable {
    /// Which limit was exceeded.
    public enum Limit: String, Sendable, Hashable {
        /// `Limits.headerBytes`, raised by `.headerLimit`.
        case header
        /// `Limits.bodyBytes`, raised by `.bodyLimit`.
        case body
        /// `Limits.expansion`, raised by `.expansionLimit`.
        case expansion
    }

    /// The limit that was exceeded.
    public let limit: Limit
    /// The limit's size. Of `.expansion`, decoded bytes for each coded one.
    public let bytes: Int
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A limit that was exceeded; `bytes` is its size, or for `.expansion` its ratio.
    public init(_ limit: Limit, bytes: Int, record: CallRecord) {
        self.limit = limit
        self.bytes = bytes
        self.record = record
    }
}

/// A redirect that was not followed.
public struct RedirectFailure: Error, Sendable, Hashable {
    /// Why a redirect was not followed.
    public enum Reason: Sendable, Hashable {
        /// The call has followed `limit` redirects already, as many as `RedirectPolicy.limit` allows.
        case tooMany(limit: Int)
        /// Its target was visited `visits` times, as often as `RedirectPolicy.visitsPerURL` allows.
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

    /// Why it was not followed.
    public let reason: Reason
    /// The status of the redirect that was not followed.
    public let status: HTTPStatus
    /// Where it points, secrets masked; nil when it cannot be read.
    public let location: String?
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A redirect that was not followed; `location` is nil where the Location field cannot be read.
    public init(_ reason: Reason, status: HTTPStatus, location: HTTPURL? = nil, record: CallRecord) {
        self.reason = reason
        self.status = status
        self.location = location.map(Redaction.url)
        self.record = record
    }
}

/// A promise that was dropped unresolved, or that should have followed its own future.
public struct BrokenPromise: Error, Sendable, Hashable {
    /// Where the promise was made.
    public let file: String
    /// The line in `file`.
    public let line: Int

    /// A promise that was made at `file` and `line`.
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }
}
