import HTTPCore

/// The `application/x-www-form-urlencoded` parser of the WHATWG URL standard (§5.1), for queries and bodies.
enum FormText {
    static func items(_ text: String) -> [QueryItem] {
        text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(decoded(parts[0]), parts.count == 2 ? decoded(parts[1]) : nil)
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacing("+", with: " ")
        return PercentEncoding.decode(spaced) ?? String(spaced)
    }
}
