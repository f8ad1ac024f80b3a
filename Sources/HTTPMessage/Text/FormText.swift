/// Queries and forms in their encoded form.
package enum FormText {
    /// The items of `name=value&name=value`, decoded as far as possible. In a form, and in a query that is read as one,
    /// a plus is a space (WHATWG URL standard, §5.1).
    package static func items(_ text: some StringProtocol, isForm: Bool = true) -> [QueryItem] {
        // By bytes: Unicode joins an `&` with a following combining mark.
        Substring(text).utf8.split(separator: UInt8(ascii: "&")).map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { decode(Substring($0), isForm: isForm) }
            return QueryItem(parts[0], parts.count > 1 ? parts[1] : nil)
        }
    }

    /// A percent sign that starts no escape stays, and octets that are not UTF-8 become U+FFFD.
    package static func decode(_ text: some StringProtocol, isForm: Bool) -> String {
        let encoded = text.utf8.map { isForm && $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        return String(decoding: PercentEncoding.decoded(encoded[...]).bytes, as: UTF8.self)
    }
}
