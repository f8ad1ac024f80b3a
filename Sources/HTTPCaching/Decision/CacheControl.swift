/// The directives of a message's Cache-Control fields (RFC 9111 §5.2, with those of RFC 5861 and RFC 8246).
///
/// Invalid input is read in the careful way. An invalid lifetime is zero, the shorter of two different lifetimes
/// counts, `no-store` counts whatever its argument, and what forbids something counts behind a semicolon or a blank, too.
struct CacheControl: Sendable, Hashable {
    // MARK: Of requests and responses

    var noStore = false
    /// `no-cache` without a list of fields.
    var noCache = false
    /// In seconds. Zero if the value is invalid.
    var maxAge: Int?
    /// In seconds (RFC 5861 §4).
    var staleIfError: Int?

    // MARK: Of responses

    /// The fields named by `no-cache="…"`, in lower case. They must not be used without validation.
    var uncachedFields: [String] = []
    var mustRevalidate = false
    var mustUnderstand = false
    var isPublic = false
    /// RFC 8246.
    var isImmutable = false
    /// In seconds (RFC 5861 §3).
    var staleWhileRevalidate: Int?

    // MARK: Of requests

    var onlyIfCached = false
    /// In seconds.
    var minFresh: Int?
    /// In seconds; `Int.max` for any staleness.
    var maxStale: Int?

    /// Larger numbers of seconds count as this (RFC 9111 §1.2.2).
    static let longest = Int(clamping: Int64(1) << 31)

    init() {}

    init(_ values: [String]) {
        for value in values {
            for directive in CacheDirective.all(in: value) { take(directive) }
            // A quote that is not closed must not hide `no-store`.
            var quotes = QuotedString()
            for byte in value.utf8 { quotes.take(byte) }
            if quotes.isOpen { noStore = noStore || Self.names([value]).contains("no-store") }
        }
    }

    private mutating func take(_ directive: CacheDirective) {
        switch directive.name {
        case "no-store": noStore = true
        case "no-cache":
            let names = Self.names([directive.argument ?? ""])
            uncachedFields += names
            // A list that names no field is no list.
            if names.isEmpty { noCache = true }
        case "max-age": maxAge = min(maxAge ?? .max, directive.seconds ?? 0)
        case "stale-if-error": staleIfError = min(staleIfError ?? .max, directive.seconds ?? 0)
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "immutable": isImmutable = true
        case "stale-while-revalidate": staleWhileRevalidate = min(staleWhileRevalidate ?? .max, directive.seconds ?? 0)
        case "only-if-cached": onlyIfCached = true
        case "min-fresh": minFresh = max(minFresh ?? 0, directive.seconds ?? Self.longest)
        case "max-stale":
            let allowed = directive.argument == nil ? Int.max : directive.seconds ?? 0
            maxStale = min(maxStale ?? .max, allowed)
        default: break
        }
    }

    /// The names in these lists, in lower case.
    static func names(_ lists: [String]) -> [String] {
        lists.flatMap { $0.split(separator: ",") }.map { ASCII.lowercased(ASCII.trimmed($0)) }.filter { !$0.isEmpty }
    }

    /// The value of digits only, capped at `longest`; nil for anything else.
    static func seconds(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return min(Int(text) ?? longest, longest)
    }
}

/// One directive: a name in lower case, and its unquoted value.
struct CacheDirective: Hashable {
    let name: String
    let argument: String?

    var seconds: Int? { argument.flatMap { CacheControl.seconds($0) } }

    /// The directives of one field, split at the commas outside quoted strings. A directive whose name is not a token
    /// is left out.
    static func all(in value: String) -> [CacheDirective] {
        QuotedString.split(value, at: UInt8(ascii: ",")).flatMap { part in
            (CacheDirective(part).map { [$0] } ?? []) + prohibitions(in: String(ASCII.trimmed(part)))
        }
    }

    /// Those that forbid something, in a part in which semicolons or blanks stand in place of commas.
    private static func prohibitions(in part: String) -> [CacheDirective] {
        let words = QuotedString.split(part) { $0 == UInt8(ascii: ";") || ASCII.isBlank($0) }
        guard words.count > 1 else { return [] }
        return words.compactMap { CacheDirective($0) }
            .filter { ["no-store", "no-cache", "must-revalidate", "only-if-cached"].contains($0.name) }
    }

    private init?(_ part: Substring) {
        let text = ASCII.trimmed(part)
        let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = text[..<(equals ?? text.endIndex)]
        guard ASCII.isToken(name) else { return nil }
        self.name = ASCII.lowercased(name)
        argument = equals.map { QuotedString.unquoted(Substring(text.utf8[text.utf8.index(after: $0)...])) }
    }
}
