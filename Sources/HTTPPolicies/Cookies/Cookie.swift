public import HTTPFoundation

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

extension Cookie {
    /// The cookie set by a Set-Cookie field in a response from `url`; nil if it is not allowed (RFC 6265bis §5.7). The
    /// store decides whether it may replace existing cookies.
    init?(_ field: SetCookie, from url: HTTPURL, at now: Date, suffixes: PublicSuffixRule) {
        let host = HostName.canonical(url.host)
        guard let scope = CookieDomain.scope(of: field.domain, from: host, by: suffixes),
            url.scheme == .https || !field.isSecure
        else { return nil }
        name = field.name
        value = field.value
        domain = scope.domain
        isHostOnly = scope.isHostOnly
        path = field.path ?? CookiePath.standard(for: url)
        isSecure = field.isSecure
        isHTTPOnly = field.isHTTPOnly
        sameSite = field.sameSite
        expires = field.end(from: now)
        created = now
        lastUsed = now
        // `__Host-` requires an explicit Path of "/"; a default path does not count.
        guard keepsPrefixPromise, !hasHostPrefix || field.path == "/" else { return nil }
    }

    /// Whether the cookie meets the conditions of its name prefix. `__Secure-` and `__Host-`, in any case, say how the
    /// cookie was set. A nameless cookie is refused if its value begins with a prefix or contains an equals sign: in a
    /// request it would look like a cookie of that name.
    var keepsPrefixPromise: Bool {
        if name.isEmpty {
            return !value.utf8.contains(UInt8(ascii: "=")) && !Self.hasPrefix(value, "__secure-")
                && !Self.hasPrefix(value, "__host-")
        }
        if Self.hasPrefix(name, "__secure-") { return isSecure }
        return !hasHostPrefix || (isSecure && isHostOnly && path == "/")
    }

    private var hasHostPrefix: Bool { Self.hasPrefix(name, "__host-") }

    private static func hasPrefix(_ text: String, _ prefix: String) -> Bool {
        ASCII.lowercased(text).utf8.starts(with: prefix.utf8)
    }
}

extension Cookie: Decodable {
    /// Refuses anything that no Set-Cookie field can set; public suffixes are not looked at. The saved data may have been
    /// changed, and a value with a line break would become a header field.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        value = try container.decode(String.self, forKey: .value)
        domain = try container.decode(String.self, forKey: .domain)
        isHostOnly = try container.decode(Bool.self, forKey: .isHostOnly)
        path = try container.decode(String.self, forKey: .path)
        isSecure = try container.decode(Bool.self, forKey: .isSecure)
        isHTTPOnly = try container.decode(Bool.self, forKey: .isHTTPOnly)
        sameSite = try container.decodeIfPresent(SameSite.self, forKey: .sameSite)
        expires = try container.decodeIfPresent(Date.self, forKey: .expires)
        created = try container.decode(Date.self, forKey: .created)
        lastUsed = try container.decode(Date.self, forKey: .lastUsed)
        if let reason = flaw {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: reason))
        }
    }

    private var flaw: String? {
        if SetCookie(pair).map({ $0.name == name && $0.value == value }) != true {
            return "name and value could not have come from a Set-Cookie field"
        }
        // A default path, taken from a URL, may contain a semicolon.
        if !path.utf8.starts(with: "/".utf8) || !SetCookie.isText(path) { return "the path is not valid" }
        if domain.isEmpty || !SetCookie.isText(domain) { return "the domain is not a host" }
        if !isHostOnly, CookieDomain.isAddress(domain) { return "an IP address has no hosts below it" }
        guard keepsPrefixPromise else {
            return name.isEmpty
                ? "it has no name, and in a request its value would look like a name"
                : "the name begins with __Host- or __Secure-, and the cookie lacks the attributes that this requires"
        }
        return nil
    }
}
