/// A request that violates a rule.
public struct InvalidRequest: Error, Sendable, Hashable {
    /// The method of the request that was not sent; nil for a URL or a proxy address by itself.
    public let method: HTTPMethod?
    /// The URL as the caller wrote it, secrets masked.
    public let url: String
    /// A sentence that names the invalid value.
    public let reason: String

    /// An error for `draft`; `reason` is a sentence that names the invalid value.
    public init(_ draft: MutableRequest, _ reason: String) {
        method = draft.method
        url = RequestValidation.shownURL(of: draft)
        self.reason = ASCII.printable(reason)
    }

    /// An error for a URL that no request has yet. `url` has no secrets.
    init(url: String, _ reason: String) {
        method = nil
        self.url = ASCII.printable(url)
        self.reason = ASCII.printable(reason)
    }
}

/// Something the transport cannot do: an option its engine lacks, or a setting it cannot use.
public struct Unsupported: Error, Sendable, Hashable {
    /// The missing feature, as a noun phrase: "a client certificate".
    public let feature: String
    /// Why it is not available, and what would help.
    public let reason: String

    /// An error for `feature`; `reason` says why it is not available and what would help.
    public init(_ feature: String, _ reason: String) {
        self.feature = feature
        self.reason = reason
    }
}

/// An expired timeout, with the phase of the call.
public struct TimeoutFailure: Error, Sendable, Hashable {
    /// The timeout that expired.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Limit: Sendable, Hashable, CaseIterable {
        /// `Timeouts.connect`: the connection, including TLS, was not established in time.
        case connect
        /// `Timeouts.idle`: the pause between two bytes was too long.
        case idle
        /// `Timeouts.total`: the whole call, including redirects, retries and waits, took too long.
        case total
    }

    /// The timeout that expired; nil for that of a future, which has no call.
    public let limit: Limit?
    /// The length of the timeout.
    public let duration: Duration
    /// The record of the call, secrets masked; nil for the timeout of a future, which has no call.
    public internal(set) var record: CallRecord?
    /// What would have delayed the call beyond its time, so that it was not sent: a rate limit, in words. Nil if
    /// nothing did.
    public let blockedBy: String?

    /// An expired timeout `limit` of `duration`.
    public init(_ limit: Limit, after duration: Duration, record: CallRecord, blockedBy: String? = nil) {
        self.limit = limit
        self.duration = duration
        self.record = record
        self.blockedBy = blockedBy
    }

    /// The timeout of a future.
    public init(after duration: Duration) {
        limit = nil
        self.duration = duration
        record = nil
        blockedBy = nil
    }

    /// The phase of the call.
    public var phase: CallActivity? { record?.phase }
}

/// A call that a dispatcher refused, because too many are waiting.
public struct Overload: Error, Sendable, Hashable {
    /// Why a call was refused.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable {
        /// The queue is full.
        case queueFull
        /// The system refused to start a thread, and no other thread could make the call later.
        case noThreads
    }

    /// Why the call was refused.
    public let reason: Reason
    /// The maximum number of waiting calls.
    public let limit: Int
    /// The number of waiting calls.
    public let queued: Int
    /// The request that was not sent, secrets masked.
    public internal(set) var record: CallRecord

    /// A refusal by a queue for `limit` calls, of which `queued` were waiting.
    public init(_ reason: Reason, limit: Int, queued: Int, record: CallRecord) {
        self.reason = reason
        self.limit = limit
        self.queued = queued
        self.record = record
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
        /// The connection was closed or reset in the middle.
        case broken
        /// The proxy refused the connection to the server.
        case proxy
        /// The process or the system has reached its limit of open files and sockets, although the transport has closed
        /// its idle connections. Nothing was sent.
        case outOfDescriptors
        /// The server gave the request up because it gets too many in too short a time (ENHANCE_YOUR_CALM, RFC 9113 §7).
        case tooManyRequests
        /// The server has said that it did not process the request (REFUSED_STREAM or GOAWAY, RFC 9113 §8.7).
        case unprocessed
        /// Any other failure; the record has the engine's message.
        case other
    }

    /// Why it failed.
    public let reason: Reason
    /// Whether the server may have received the request, whole or in part. A request that is not idempotent may then
    /// have taken effect. False if nothing was sent, or if the server has said that it did not process the request
    /// (RFC 9113 §8.7).
    public let mayHaveBeenProcessed: Bool
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failed connection. `mayHaveBeenProcessed` is false only if it is certain that the server has not processed the
    /// request.
    public init(_ reason: Reason, mayHaveBeenProcessed: Bool, record: CallRecord) {
        self.reason = reason
        self.mayHaveBeenProcessed = mayHaveBeenProcessed
        self.record = record
    }
}

/// A failed TLS handshake: the certificate is not accepted, or there is no common version or cipher.
public struct TLSFailure: Error, Sendable, Hashable {
    /// Why the handshake failed.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// No trusted authority signed the certificate: it is self-signed, or its issuer is unknown.
        case untrusted
        /// The certificate, or one in its chain, has expired.
        case expired
        /// The certificate, or one in its chain, is not valid yet. The clock of this machine may be wrong.
        case notYetValid
        /// The certificate was revoked by its issuer.
        case revoked
        /// The certificate is for other names.
        case wrongHost
        /// The certificate's public key matches no pin.
        case wrongPin
        /// The server requires a client certificate, or refused the one it got.
        case clientCertificate
        /// The client's own certificate, key or authorities cannot be used.
        case badConfiguration
        /// There is no common version or cipher, or the handshake was interrupted.
        case handshake
    }

    /// Why it failed.
    public let reason: Reason
    /// Whether the handshake with a TLS proxy failed, not that with the server.
    public let isProxy: Bool
    /// What is wrong with the configuration and what to do, as a phrase; nil if no more is known than the reason.
    public let detail: String?
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failed handshake, with the server or with a TLS proxy. `detail` says what to correct.
    public init(_ reason: Reason, isProxy: Bool = false, detail: String? = nil, record: CallRecord) {
        self.reason = reason
        self.isProxy = isProxy
        self.detail = detail
        self.record = record
    }
}

/// A response that is not valid HTTP, or does not belong to the request.
public struct ProtocolViolation: Error, Sendable, Hashable {
    /// The invalid part of the response.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// The status line or the header fields (RFC 9112 §4, §5), or an unexpected status.
        case head
        /// The framing of the body: lengths, chunk sizes and trailers (RFC 9112 §6, §7).
        case framing
        /// The body does not match its Content-Encoding (RFC 9110 §8.4). A request without a coding may help.
        case contentCoding
        /// The frames of HTTP/2 (RFC 9113).
        case frames
        /// Any other part; `reason` names it.
        case other
    }

    /// The invalid part of the message.
    public let kind: Kind
    /// What the server sent, and the rule that it violates.
    public let reason: String
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A violation; `reason` says what the server sent and which rule it violates.
    public init(_ reason: String, kind: Kind = .other, record: CallRecord) {
        self.kind = kind
        self.reason = ASCII.printable(reason)
        self.record = record
    }
}

/// A body that ended before it was complete.
public struct TruncatedBody: Error, Sendable, Hashable {
    /// How it is known that the body is incomplete.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable {
        /// Fewer bytes arrived than Content-Length announces.
        case contentLength(expected: Int64)
        /// The last chunk is missing.
        case chunked
        /// A content coding (`gzip`, `br` …) ended in the middle.
        case contentCoding(String)
        /// TLS ended without a close_notify alert, which tells a regular end from a truncation attack (RFC 8446 §6.1).
        case missingCloseNotify
    }

    /// How it is known that the body is incomplete.
    public let reason: Reason
    /// The number of bytes delivered, after content decoding.
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

/// A response that exceeds the request's `Limits`.
public struct LimitExceeded: Error, Sendable, Hashable {
    /// Which limit was exceeded.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Limit: Sendable, Hashable {
        /// `Limits.headerBytes`, raised by `.headerLimit`.
        case header
        /// The length of one line of the head, limited by the engine. It cannot be raised.
        case headerLine
        /// `Limits.bodyBytes`, raised by `.bodyLimit`.
        case body
        /// `Limits.expansion`, raised by `.expansionLimit`.
        case expansion
    }

    /// The limit that was exceeded.
    public let limit: Limit
    /// The value of the limit, in bytes; for `.expansion` the ratio of decoded to coded bytes.
    public let bytes: Int
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// An exceeded limit; `bytes` is its value, or for `.expansion` the ratio.
    public init(_ limit: Limit, bytes: Int, record: CallRecord) {
        self.limit = limit
        self.bytes = bytes
        self.record = record
    }
}

/// A redirect that was not followed.
public struct RedirectFailure: Error, Sendable, Hashable {
    /// Why a redirect was not followed.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable {
        /// The call has already followed `limit` redirects, the maximum of `RedirectPolicy.limit`.
        case tooMany(limit: Int)
        /// The target was already visited `visits` times, the maximum of `RedirectPolicy.visitsPerURL`.
        case cycle(visits: Int)
        /// It leads from https to http.
        case insecure
        /// The Location occurs with different values, contains credentials, or is not a valid http or https URL.
        case badLocation(String)
        /// It would send the body again, which is for a single use.
        case bodyNotReplayable
        /// The hook of the policy refused it, for this reason.
        case refusedByPolicy(String)
    }

    /// Why it was not followed.
    public let reason: Reason
    /// The status of the redirect that was not followed.
    public let status: HTTPStatus
    /// The target, secrets masked; nil if it is invalid.
    public let location: String?
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A redirect that was not followed; `location` is nil if the Location field is invalid.
    public init(_ reason: Reason, status: HTTPStatus, location: HTTPURL? = nil, record: CallRecord) {
        self.reason = reason
        self.status = status
        self.location = location.map { ASCII.printable(Redaction.url($0)) }
        self.record = record
    }
}

/// A promise that was released unresolved, or that would have to follow its own future.
public struct BrokenPromise: Error, Sendable, Hashable {
    /// Where the promise was made.
    public let file: String
    /// The line in `file`.
    public let line: Int

    /// Where the promises of a circle were made, `file:line` each, beginning with this one: each waits for the next, and
    /// the last for the first. Empty for a promise that was released.
    public let circle: [String]

    /// A promise made at `file` and `line`.
    public init(file: String, line: Int, circle: [String] = []) {
        self.file = file
        self.line = line
        self.circle = circle
    }
}
