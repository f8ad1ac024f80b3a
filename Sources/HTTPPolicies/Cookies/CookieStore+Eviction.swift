#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
