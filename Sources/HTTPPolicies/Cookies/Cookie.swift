#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A cookie as a jar stores it (RFC 6265bis §5.7).
///
/// Only a `CookieJar` makes cookies, from a Set-Cookie field and its URL. A cookie is `Codable`, so that a jar can be
/// saved and restored; decoding refuses anything that a Set-Cookie field could not have set. Decode a saved list as
/// `SavedCookies`, which skips damaged cookies and keeps the others. The encoded form contains the value: protect it
/// like a password.
public struct Cookie: Sendable, Hashable, Encodable {
    /// The name, compared with case (RFC 6265bis §5.6).
    public let name: String
    /// The value as the server set it. It may be a secret: printing a cookie does not show it.
    public let value: String
    /// The domain in lower case; an IPv6 address without brackets.
    public let domain: String
    /// Whether the cookie is sent only to `domain`, not to its subdomains.
    public let isHostOnly: Bool
    /// The path that the cookie is sent to, with everything below it. It begins with `/`.
    public let path: String
    /// Whether the cookie is sent over https only.
    public let isSecure: Bool
    /// Whether page scripts may not read the cookie. It is kept for programs that read the cookies, and has no effect
    /// here.
    public let isHTTPOnly: Bool
    /// The SameSite attribute; nil if there is none. It is kept but not applied: a program's request belongs to no
    /// site.
    public let sameSite: SameSite?
    /// When the cookie expires; nil for a session cookie, which ends with the jar unless it is restored explicitly.
    public internal(set) var expires: Date?
    /// When the cookie was first set; setting it again keeps this (RFC 6265bis §5.7).
    public internal(set) var created: Date
    /// When the cookie was last sent. The least recently used one is evicted first.
    public internal(set) var lastUsed: Date

    /// The values of the SameSite attribute (RFC 6265bis §5.6.7).
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// Sent only with requests from the same site.
        case strict
        /// Also sent when a link from another site is followed.
        case lax
        /// Sent with requests from any site.
        case none
    }

    enum CodingKeys: String, CodingKey {
        case name, value, domain, isHostOnly, path, isSecure, isHTTPOnly, sameSite, expires, created, lastUsed
    }

    /// Whether this is a session cookie, which has no expiry time.
    public var isSession: Bool { expires == nil }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether both are the same cookie to a store: the later one replaces the earlier.
    func hasIdentity(of other: Cookie) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && path.utf8.elementsEqual(other.path.utf8)
            && domain == other.domain && isHostOnly == other.isHostOnly
    }

    package var pair: String { name.isEmpty ? value : name + "=" + value }
}

extension Cookie: Redacted {
    /// Name and scope. The value is masked, and so is a cookie without a name.
    public var description: String {
        let scope = (isHostOnly ? "" : "*.") + domain + path
        return ASCII.printable("\(name.isEmpty ? "" : name + "=")\(Redaction.mask) for \(scope)")
    }
}
