/// Which hosts a cookie belongs to (RFC 6265bis §5.1.3).
enum CookieDomain {
    /// Whether `host` is `domain` or a name below it. An IP address matches only itself. Both are in canonical form.
    static func matches(_ host: String, _ domain: String) -> Bool {
        host == domain || (!domain.isEmpty && HostName.isName(host, in: domain) && !isAddress(host))
    }

    static func isAddress(_ host: String) -> Bool { IPAddress.bytes(of: host) != nil }

    /// The scope of a cookie from `host` with the Domain `attribute`; nil if it is refused.
    ///
    /// A public suffix is refused, unless it is the host itself: then the cookie is for that host only.
    static func scope(
        of attribute: String, from host: String, by rule: PublicSuffixRule
    ) -> (domain: String, isHostOnly: Bool)? {
        guard !attribute.isEmpty else { return (host, true) }
        // On the wire a Host is always ASCII.
        guard attribute.utf8.allSatisfy({ $0 < 0x80 }), matches(host, attribute) else { return nil }
        if isAddress(host) { return (host, true) }
        guard rule.isPublicSuffix(attribute) else { return (attribute, false) }
        return attribute == host ? (host, true) : nil
    }
}
