#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A cookie as a jar keeps it (RFC 6265bis §5.7).
///
/// Only a `CookieJar` makes one, from a Set-Cookie field and the URL it came from. It is `Codable`, so that a jar can
/// be saved and restored; decoding refuses what no Set-Cookie field could have said. To read a saved list, decode
/// `SavedCookies`, which does not lose the others to one that was damaged. The coded form holds the value: keep it as
/// you would keep a password.
public struct Cookie: Sendable, Hashable, Encodable {
    /// The name, compared with case (RFC 6265bis §5.6).
    public let name: String
    /// The value as the server set it. It may be a secret: printing a cookie does not show it.
    public let value: String
    /// In lower case, an IPv6 address without brackets.
    public let domain: String
    /// Whether the cookie goes to `domain` alone, and not to the hosts below it.
    public let isHostOnly: Bool
    /// The path below which the cookie is sent; it begins with `/`.
    public let path: String
    /// Whether the cookie goes over https alone.
    public let isSecure: Bool
    /// Whether scripts in a page may not see it. It has no meaning here and is kept for what reads the cookies.
    public let isHTTPOnly: Bool
    /// The attribute of the server. It is kept but not applied: a program's request belongs to no site.
    public let sameSite: SameSite?
    /// When the cookie ends; nil for a session cookie, which ends with the jar unless it is restored on purpose.
    public let expires: Date?
    /// When the cookie was first set; setting it again keeps this (RFC 6265bis §5.7).
    public internal(set) var created: Date
    /// When the cookie was last sent. The one used longest ago is evicted first.
    public internal(set) var lastUsed: Date

    /// The values of the SameSite attribute (RFC 6265bis §5.6.7).
    public enum SameSite: String, Sendable, Hashable, Codable {
        /// Sent with requests of the same site alone.
        case strict
        /// Also sent when a link from another site is followed.
        case lax
        /// Sent with requests of any site.
        case none
    }

    enum CodingKeys: String, CodingKey {
        case name, value, domain, isHostOnly, path, isSecure, isHTTPOnly, sameSite, expires, created, lastUsed
    }

    /// Whether the server gave it no end.
    public var isSession: Bool { expires == nil }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether the two are one cookie to a store: the later one replaces the earlier.
    func hasIdentity(of other: Cookie) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && path.utf8.elementsEqual(other.path.utf8)
            && domain == other.domain && isHostOnly == other.isHostOnly
    }

    /// `name=value` as it stands in a Cookie field.
    var pair: String { name.isEmpty ? value : name + "=" + value }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Name and scope. The value is masked, and so is all of a cookie without a name.
    public var description: String {
        let scope = (isHostOnly ? "" : "*.") + domain + path
        return ASCII.printable("\(name.isEmpty ? "" : name + "=")\(Redaction.mask) for \(scope)")
    }

    public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .struct) }
}
