import Synchronization

/// What is known of a connection. One object for all calls that it carries.
public final class ConnectionFacts: Sendable, Codable {
    /// An address that was tried, one after the other or two at once, until a connection stood.
    public struct Address: Sendable, Hashable, Codable {
        public let text: String
        /// When it was tried, counted from the first one's.
        public let start: Duration

        package init(_ text: String, start: Duration) {
            self.text = text
            self.start = start
        }
    }

    /// Tells the connections of this process apart: 1 for the first, and one more for each that follows.
    public let id: UInt64
    /// In the order in which they were tried; of the host, or of the proxy on the way to it.
    public let addresses: [Address]
    /// Nil where it is not secured, or the engine does not say how.
    public let tls: TLSFacts?

    private static let counter = Atomic<UInt64>(0)

    /// A connection more.
    package init(addresses: [Address], tls: TLSFacts?) {
        id = Self.counter.add(1, ordering: .relaxed).newValue
        self.addresses = addresses
        self.tls = tls
    }
}

extension ConnectionFacts: Hashable {
    public static func == (one: ConnectionFacts, other: ConnectionFacts) -> Bool {
        one.id == other.id && one.addresses == other.addresses && one.tls == other.tls
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// What a TLS handshake came to, in the words of the TLS library.
public struct TLSFacts: Sendable, Hashable, Codable {
    /// `TLSv1.3`
    public let version: String
    /// `TLS_AES_256_GCM_SHA384`
    public let cipher: String
    /// What was agreed on by ALPN: `h2` or `http/1.1`; nil for nothing.
    public let applicationProtocol: String?
    /// The server's certificate.
    public let subject: String?
    public let issuer: String?

    package init(
        version: String, cipher: String, applicationProtocol: String?, subject: String? = nil, issuer: String? = nil
    ) {
        self.version = version
        self.cipher = cipher
        self.applicationProtocol = applicationProtocol
        self.subject = subject
        self.issuer = issuer
    }
}
