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

    /// Makes room in a domain with too many (RFC 6265bis §5.7): what has expired goes first, then what is not for https
    /// alone, then the rest, each time what was used longest ago. It looks at this domain only, for it is done with
    /// each cookie, and a response can bring thousands.
    mutating func evictExcess(of domain: String, at now: Date) {
        guard let list = entries[domain], list.count > Self.domainLimit else { return }
        let valid = list.filter { !$0.cookie.isExpired(at: now) }
        let excess = max(0, valid.count - Self.domainLimit)
        keep(Self.list(valid, without: excess, by: Self.goesFirstInItsDomain), of: domain)
    }

    /// Makes room where there are too many in all: what has expired goes first, then what was used longest ago.
    mutating func evictExcess(at now: Date) {
        guard count > Self.totalLimit else { return }
        removeAll { $0.cookie.isExpired(at: now) }
        guard count > Self.totalLimit else { return }
        let leaving = Self.first(count - Self.totalLimit, of: entries.values.joined(), by: Self.wasUsedEarlier)
        removeAll { leaving.contains($0.order) }
    }

    private static func list(
        _ list: [Entry], without number: Int, by comesFirst: (Entry, Entry) -> Bool
    ) -> [Entry] {
        let leaving = first(number, of: list, by: comesFirst)
        return list.filter { !leaving.contains($0.order) }
    }

    private static func first(
        _ number: Int, of entries: some Sequence<Entry>, by comesFirst: (Entry, Entry) -> Bool
    ) -> Set<UInt64> {
        // One more than there may be is the usual case, and need not be sorted.
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
