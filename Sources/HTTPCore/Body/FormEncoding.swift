/// The `application/x-www-form-urlencoded` serializer of the WHATWG URL standard (§5.2).
enum FormEncoding {
    static func encode(_ items: [QueryItem]) -> String {
        items.map { item in
            guard let value = item.value else { return encode(item.name) + "=" }
            return encode(item.name) + "=" + encode(value)
        }.joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        PercentEncoding.encode(text, keeping: isKept).replacing(" ", with: "+")
    }

    /// Letters, digits and `*-._` stay; a space stays here to become a plus sign.
    private static func isKept(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "*-._ ".utf8.contains(byte)
    }
}
