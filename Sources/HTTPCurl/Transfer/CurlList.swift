import CLibcurl
import HTTPCore

/// A linked list of strings that libcurl reads while it is set. Freed with its owner.
///
/// It is immutable, so any thread may read it.
final class CurlList: @unchecked Sendable {
    let first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) { first = lines.reduce(nil) { curl_slist_append($0, $1) } }

    deinit { curl_slist_free_all(first) }
}
