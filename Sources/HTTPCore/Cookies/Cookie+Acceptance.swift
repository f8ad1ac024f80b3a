#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Cookie {
    /// The cookie that a Set-Cookie field from `url` asks for; nil when it must not (RFC 6265bis §5.7). What it may do
    /// to cookies already there, the store decides.
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
        // A default path is no promise of "/".
        guard keepsPrefixPromise, !hasHostPrefix || field.path == "/" else { return nil }
    }

    /// A name that begins with `__Secure-` or `__Host-`, in any case, promises how the cookie was set. A cookie without
    /// a name whose value begins so, or has an equals sign in it, would look like one that has that name in a request,
    /// and would be held to no rule for it.
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
