import HTTPFoundation

/// A Set-Cookie field, parsed by the algorithm of RFC 6265bis §5.6. Whether a store accepts it depends on its URL,
/// which is not known here.
struct SetCookie: Sendable, Hashable {
    let name: String
    let value: String
    private(set) var expires: Date?
    /// The Max-Age, in seconds.
    private(set) var maxAge: Int64?
    /// The domain in lower case, without a leading dot; empty if there is no Domain, or if the last one is empty.
    private(set) var domain = ""
    /// The path; nil if the default path applies.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: Cookie.SameSite?

    /// The maximum length of name and value together, in bytes.
    static let pairLimit = 4096
    /// The maximum length of an attribute value, in bytes.
    static let attributeLimit = 1024

    /// Whether `text` may occur in a Set-Cookie field (RFC 6265bis §5.6, step 1): a control character other than a tab
    /// makes the whole field invalid. The rule is the same for received and restored cookies, so that every accepted
    /// cookie can be restored.
    static func isText(_ text: String) -> Bool { !text.utf8.contains { ASCII.isControl($0) && $0 != 0x09 } }

    /// Nil for a field that is ignored: one with a control character, too long, or without a name and a value.
    init?(_ field: String) {
        guard Self.isText(field) else { return nil }
        let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard let pair = parts.first else { return nil }
        // Without an equals sign the whole pair is the value of a nameless cookie.
        (name, value) = Self.split(pair) ?? ("", String(ASCII.trimmed(pair)))
        guard !name.isEmpty || !value.isEmpty, name.utf8.count + value.utf8.count <= Self.pairLimit else { return nil }
        for attribute in parts.dropFirst() {
            let (name, value) = Self.split(attribute) ?? (String(ASCII.trimmed(attribute)), "")
            guard value.utf8.count <= Self.attributeLimit else { continue }
            take(ASCII.lowercased(name), value)
        }
    }

    private static func split(_ text: Substring) -> (String, String)? {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        return (String(ASCII.trimmed(text[..<mark])), String(ASCII.trimmed(text[text.utf8.index(after: mark)...])))
    }

    /// The last attribute of a name counts. Invalid ones are ignored.
    private mutating func take(_ name: String, _ value: String) {
        switch name {
        case "expires": expires = CookieDate.parse(value) ?? expires
        case "max-age": maxAge = Self.seconds(value) ?? maxAge
        case "domain":
            domain = ASCII.lowercased(value.utf8.first == UInt8(ascii: ".") ? value.dropFirst() : value[...])
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = Cookie.SameSite(rawValue: ASCII.lowercased(value))
        default: break
        }
    }

    /// Digits with an optional minus sign. Any negative number becomes -1, and one that does not fit the largest.
    private static func seconds(_ text: String) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return isNegative ? -1 : Int64(digits) ?? .max
    }

    /// No cookie lasts longer than 400 days.
    static let ageLimit: TimeInterval = 400 * 24 * 60 * 60

    /// When the cookie expires, counted from `now`; nil at the end of the session. Max-Age takes precedence over
    /// Expires.
    func end(from now: Date) -> Date? {
        let limit = now.addingTimeInterval(Self.ageLimit)
        guard let maxAge else { return expires.map { min($0, limit) } }
        return maxAge <= 0 ? .distantPast : min(now.addingTimeInterval(TimeInterval(maxAge)), limit)
    }
}
