import HTTPFoundation

/// Cookies and the rules for them (RFC 6265bis §5.7 and §5.8): a value without a clock and a lock.
struct CookieStore: Sendable {
    struct Entry: Sendable {
        var cookie: Cookie
        /// Orders cookies of one response, which have the same time.
        let order: UInt64
    }

    /// By domain, so that a request looks only at its host's domain and those above.
    private(set) var entries: [String: [Entry]] = [:]
    private(set) var count = 0
    private var nextOrder: UInt64 = 0

    init(_ cookies: [Cookie], at now: Date) {
        for var cookie in cookies where !cookie.isExpired(at: now) {
            // A list that was written by hand, or by another program, may say more. The clock may not be set yet.
            let latest = max(now, cookie.created).addingTimeInterval(SetCookie.ageLimit)
            cookie.expires = cookie.expires.map { min($0, latest) }
            remove(cookie, at: now)
            insert(cookie)
            evictExcess(of: cookie.domain, at: now)
        }
        evictExcess(at: now)
    }

    /// Every cookie that has not expired, the earliest first.
    func cookies(at now: Date) -> [Cookie] {
        entries.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.order < $1.order }.map(\.cookie)
    }

    /// Stores a cookie from `url`. Returns whether this changes what is sent. Call `evictExcess(at:)` after the last
    /// cookie of a response.
    mutating func store(_ cookie: Cookie, from url: HTTPURL, at now: Date) -> Bool {
        if url.scheme == .http, !cookie.isSecure, shadowsSecureCookie(cookie, at: now) { return false }
        var cookie = cookie
        let old = remove(cookie, at: now)
        if let old { cookie.created = old.cookie.created }
        guard !cookie.isExpired(at: now) else { return old != nil }
        insert(cookie, order: old?.order)
        evictExcess(of: cookie.domain, at: now)
        guard let old = old?.cookie else { return true }
        return !old.value.utf8.elementsEqual(cookie.value.utf8) || old.isSecure != cookie.isSecure
    }

    /// The cookies for a request to `url`: longer paths first, then the earlier ones. This counts as a use.
    mutating func cookies(for url: HTTPURL, at now: Date) -> [Cookie] {
        let host = HostName.canonical(url.host)
        var found: [Entry] = []
        for domain in Self.domains(above: host) where entries[domain] != nil {
            for index in entries[domain, default: []].indices {
                guard entries[domain]?[index].cookie.belongs(to: host, url, at: now) == true else { continue }
                entries[domain]?[index].cookie.lastUsed = now
                if let entry = entries[domain]?[index] { found.append(entry) }
            }
        }
        found.sort { one, other in
            let lengths = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
            return lengths.0 == lengths.1 ? one.order < other.order : lengths.0 > lengths.1
        }
        return found.map(\.cookie)
    }

    mutating func removeAll(where shouldRemove: (Entry) -> Bool) {
        for (domain, list) in entries {
            let kept = list.filter { !shouldRemove($0) }
            if kept.count < list.count { keep(kept, of: domain) }
        }
    }

    /// Replaces all cookies of the domain.
    mutating func keep(_ list: [Entry], of domain: String) {
        count += list.count - entries[domain, default: []].count
        entries[domain] = list.isEmpty ? nil : list
    }

    /// `a.b.c`, `b.c` and `c`.
    private static func domains(above host: String) -> [String] {
        guard !CookieDomain.isAddress(host) else { return [host] }
        var domains = [host]
        var rest = host[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            domains.append(String(rest))
        }
        return domains
    }

    /// Whether a cookie set over http would shadow or replace one that is limited to https.
    private func shadowsSecureCookie(_ cookie: Cookie, at now: Date) -> Bool {
        entries.contains { domain, list in
            (CookieDomain.matches(domain, cookie.domain) || CookieDomain.matches(cookie.domain, domain))
                && list.contains { entry in
                    let old = entry.cookie
                    return old.isSecure && !old.isExpired(at: now) && old.name.utf8.elementsEqual(cookie.name.utf8)
                        && CookiePath.matches(cookie.path, old.path)
                }
        }
    }

    private mutating func insert(_ cookie: Cookie, order: UInt64? = nil) {
        nextOrder += 1
        entries[cookie.domain, default: []].append(Entry(cookie: cookie, order: order ?? nextOrder))
        count += 1
    }

    /// Removes the cookie of the same identity, and returns it unless it has expired.
    @discardableResult
    private mutating func remove(_ cookie: Cookie, at now: Date) -> Entry? {
        guard let index = entries[cookie.domain]?.firstIndex(where: { $0.cookie.hasIdentity(of: cookie) }) else {
            return nil
        }
        let old = entries[cookie.domain]?.remove(at: index)
        if entries[cookie.domain]?.isEmpty == true { entries[cookie.domain] = nil }
        count -= 1
        return old.flatMap { $0.cookie.isExpired(at: now) ? nil : $0 }
    }
}

extension Cookie {
    fileprivate func belongs(to host: String, _ url: HTTPURL, at now: Date) -> Bool {
        (isHostOnly ? host == domain : CookieDomain.matches(host, domain)) && (!isSecure || url.scheme == .https)
            && CookiePath.matches(url.path, path) && !isExpired(at: now)
    }
}

extension CookieStore {
    /// The maximum number of cookies per domain.
    static let domainLimit = 50
    /// The maximum number of cookies in all.
    static let totalLimit = 3000

    /// Evicts the excess cookies of a domain (RFC 6265bis §5.7): first the expired ones, then those not limited to
    /// https, then the rest, each group in order of last use. It looks only at this domain: it runs for each cookie,
    /// and a response can bring thousands.
    mutating func evictExcess(of domain: String, at now: Date) {
        guard let list = entries[domain], list.count > Self.domainLimit else { return }
        let valid = list.filter { !$0.cookie.isExpired(at: now) }
        let excess = max(0, valid.count - Self.domainLimit)
        let leaving = Self.first(excess, of: valid, by: Self.goesFirstInItsDomain)
        keep(valid.filter { !leaving.contains($0.order) }, of: domain)
    }

    /// Evicts the excess of all cookies: first the expired ones, then in order of last use.
    mutating func evictExcess(at now: Date) {
        guard count > Self.totalLimit else { return }
        removeAll { $0.cookie.isExpired(at: now) }
        guard count > Self.totalLimit else { return }
        let leaving = Self.first(count - Self.totalLimit, of: entries.values.joined(), by: Self.wasUsedEarlier)
        removeAll { leaving.contains($0.order) }
    }

    private static func first(
        _ number: Int, of entries: some Sequence<Entry>, by comesFirst: (Entry, Entry) -> Bool
    ) -> Set<UInt64> {
        // An excess of one is the usual case, and needs no sorting.
        if number == 1 { return Set(entries.min(by: comesFirst).map { [$0.order] } ?? []) }
        return Set(entries.sorted(by: comesFirst).prefix(number).map(\.order))
    }

    private static func goesFirstInItsDomain(_ one: Entry, _ other: Entry) -> Bool {
        if one.cookie.isSecure != other.cookie.isSecure { return other.cookie.isSecure }
        return wasUsedEarlier(one, other)
    }

    private static func wasUsedEarlier(_ one: Entry, _ other: Entry) -> Bool {
        if one.cookie.lastUsed != other.cookie.lastUsed { return one.cookie.lastUsed < other.cookie.lastUsed }
        return one.order < other.order
    }
}
