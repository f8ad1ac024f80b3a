public import HTTPFoundation
import Synchronization

/// A connection, shared by all exchanges that use it.
public final class ConnectionInfo: Sendable, Codable {
    /// An address that was tried.
    public struct Address: Sendable, Hashable, Codable {
        /// The address, such as `192.0.2.7` or `2001:db8::7`.
        public let text: String
        /// When it was tried, relative to the first attempt.
        public let start: Duration

        package init(_ text: String, start: Duration) {
            self.text = text
            self.start = start
        }
    }

    /// Identifies the connection within the process: 1 for the first, and one more for each that follows.
    public let id: UInt64
    /// The addresses of the host, or of the proxy, in the order tried. The connected one need not be the last: two may
    /// be tried at once (RFC 8305).
    public let addresses: [Address]
    /// The host and port of the proxy; nil for none.
    public let proxy: String?
    /// The TLS session; nil for a connection without TLS, or if the engine does not report it.
    public let tls: TLSInfo?

    private static let counter = Atomic<UInt64>(0)

    /// For a new connection.
    package init(addresses: [Address] = [], proxy: String? = nil, tls: TLSInfo? = nil) {
        id = Self.counter.add(1, ordering: .relaxed).newValue
        self.addresses = addresses
        self.proxy = proxy
        self.tls = tls
    }
}

extension ConnectionInfo: Hashable {
    public static func == (one: ConnectionInfo, other: ConnectionInfo) -> Bool {
        one.id == other.id && one.addresses == other.addresses && one.proxy == other.proxy && one.tls == other.tls
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The result of a TLS handshake, with the names of the TLS library.
public struct TLSInfo: Sendable, Hashable, Codable {
    /// A certificate that the server presented.
    public struct Certificate: Sendable, Hashable, Codable {
        /// The subject, such as `/C=DE/CN=api.example.com`. Unprintable characters are escaped, and long names are cut.
        public let subject: String
        /// The issuer, written like `subject`.
        public let issuer: String
        /// The end of its validity; nil if it cannot be read.
        public var expiry: Date? { expiryTime.map { Date(timeIntervalSince1970: Double($0)) } }
        /// In seconds since 1970, as it is encoded.
        private let expiryTime: Int64?

        private enum CodingKeys: String, CodingKey {
            case subject, issuer
            case expiryTime = "expiry"
        }

        package init(subject: String, issuer: String, expiry: Int64?) {
            self.subject = ASCII.printable(subject)
            self.issuer = ASCII.printable(issuer)
            expiryTime = expiry
        }
    }

    /// `TLSv1.3`
    public let version: String
    /// `TLS_AES_256_GCM_SHA384`
    public let cipher: String
    /// The protocol that ALPN selected: `h2` or `http/1.1`; nil for none.
    public let applicationProtocol: String?
    /// The certificates that the server presented, its own first; at most 8.
    public let certificates: [Certificate]

    package init(version: String, cipher: String, applicationProtocol: String?, certificates: [Certificate] = []) {
        self.version = ASCII.printable(version)
        self.cipher = ASCII.printable(cipher)
        self.applicationProtocol = applicationProtocol.map(ASCII.printable)
        self.certificates = certificates
    }
}
