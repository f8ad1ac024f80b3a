#if canImport(CLibcurl)
import CLibcurl

/// A linked list of texts that libcurl reads from for as long as it is set. Freed with its owner.
final class CurlList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) { for line in lines { first = curl_slist_append(first, line) } }

    deinit { curl_slist_free_all(first) }
}
#endif
