#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
