#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CookieStore {
    /// How many cookies one domain may have.
    static let domainLimit = 50
    /// How many cookies there may be in all.
    static let totalLimit = 3000

    /// Makes room where there are too many (RFC 6265bis §5.7): what has expired goes first, then, in a domain with too
    /// many, what is not for https alone, then the rest of that domain, then any; each time what was used longest ago.
    mutating func evictExcess(at now: Date) {
        let isCrowded = entries.values.contains { $0.count > Self.domainLimit }
        guard isCrowded || count > Self.totalLimit else { return }
        removeAll { $0.cookie.isExpired(at: now) }
        if isCrowded {
            for list in entries.values where list.count > Self.domainLimit {
                evict(list.count - Self.domainLimit, of: list.sorted(by: Self.goesFirstInItsDomain))
            }
        }
        if count > Self.totalLimit {
            evict(count - Self.totalLimit, of: entries.values.joined().sorted(by: Self.wasUsedEarlier))
        }
    }

    private mutating func evict(_ number: Int, of list: [Entry]) {
        let leaving = Set(list.prefix(number).map(\.order))
        removeAll { leaving.contains($0.order) }
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
