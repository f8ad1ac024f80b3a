import HTTPSupport

/// Whom a client talks to, and whom it believes: its guard of destinations, its verification and pins, its authorities,
/// client certificates and proxy, and where it takes addresses from.
///
/// A stored response answers only clients of equal trust. It is computed from the configuration alone, so it is the same
/// in another process.
package struct ClientTrust: Sendable, Hashable {
    /// A SHA-256 in hexadecimal.
    package let digest: String
    /// The User-Agent of requests that set none, which a server's Vary may name; nil for none. Not part of the digest.
    package let userAgent: String?

    /// The trust of a client by its kind and its settings. Settings of no effect are nil, so that they need not be
    /// given.
    package init(_ kind: String, userAgent: String? = nil, _ settings: [String: String?] = [:]) {
        self.userAgent = userAgent
        let parts = settings.compactMap { name, value in value.map { (name, $0) } }.sorted { $0.0 < $1.0 }
        // With lengths, so that no value can look like two.
        let text = ([kind] + parts.flatMap { [$0, $1] }).map { "\($0.utf8.count):\($0)" }.joined()
        digest = SHA256.hexadecimal(of: text.utf8)
    }

    /// The text of a list in no particular order; nil if it is empty.
    package static func text(_ list: some Sequence<String>) -> String? {
        let text = list.sorted().map { "\($0.utf8.count):\($0)" }.joined()
        return text.isEmpty ? nil : text
    }
}

/// A client that knows whom it trusts.
package protocol TrustingClient: HTTPClient {
    var trust: ClientTrust { get }
}

/// A client around another.
package protocol WrappingClient: HTTPClient {
    var wrapped: any HTTPClient { get }
    /// Whether it may change the requests on their way.
    var mayChangeRequests: Bool { get }
}
