/// The Cookie field of a request. RFC 6265bis §5.8.1 allows only one.
package enum CookieField {
    /// The caller's own cookies, followed by the stored ones. A name set by the caller is left out of the stored
    /// cookies: a value given for this request takes precedence. Nil if there is nothing to send.
    package static func value(own fields: [String], stored: String?) -> String? {
        let own = fields.flatMap(pairs)
        let names = Set(own.map(name))
        let rest = pairs(of: stored ?? "").filter { pair in
            ASCII.isFieldValue(String(pair)) && (name(pair).isEmpty || !names.contains(name(pair)))
        }
        // There is nothing to join: sent as the caller wrote it.
        if rest.isEmpty, fields.count < 2 { return fields.first }
        let all = own + rest
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    private static func pairs(of field: String) -> [Substring] {
        field.utf8.split(separator: UInt8(ascii: ";")).map { ASCII.trimmed(Substring($0)) }.filter { !$0.isEmpty }
    }

    private static func name(_ pair: Substring) -> String {
        guard let mark = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return "" }
        return String(ASCII.trimmed(pair[..<mark]))
    }
}
