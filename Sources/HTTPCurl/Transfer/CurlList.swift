import CLibcurl

/// A linked list of strings that libcurl reads while it is set. Freed with its owner.
///
/// It is immutable, so any thread may read it.
final class CurlList: @unchecked Sendable {
    let first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) { first = lines.reduce(nil, Self.appending) }

    /// A line that is to be sent as other octets than its UTF-8 is passed on as these.
    static func appending(
        _ list: UnsafeMutablePointer<curl_slist>?, _ line: String
    ) -> UnsafeMutablePointer<curl_slist>? {
        guard FieldOctets.mayHaveMark(line) else { return curl_slist_append(list, line) }
        let text = (FieldOctets.octets(line) + [0]).map { CChar(bitPattern: $0) }
        return curl_slist_append(list, text)
    }

    deinit { curl_slist_free_all(first) }
}
