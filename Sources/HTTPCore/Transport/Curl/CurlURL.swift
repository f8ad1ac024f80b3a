#if canImport(CLibcurl)
import CLibcurl

/// A URL in the parts that libcurl takes it apart into: given these, it does not do so again for each transfer. Freed
/// with its owner, which must outlive the handle's use of it.
final class CurlURL {
    private let parts: OpaquePointer?
    /// Whether the handle has the parts rather than the text.
    private var isInUse = false

    init() { parts = curl_url() }

    deinit { curl_url_cleanup(parts) }

    /// Has the next transfer of `handle` go to `url`, as it is spelled.
    func set(_ url: String, on handle: CurlHandle) {
        let isTaken = parts.map { curl_url_set($0, CURLUPART_URL, url, Self.asItIs) == CURLUE_OK } ?? false
        // What is wrong with it, libcurl says only of the text.
        if !isTaken { handle.set(CURLOPT_URL, url) }
        guard isTaken != isInUse else { return }
        isInUse = isTaken
        handle.set(CURLOPT_CURLU, pointer: isTaken ? parts.map { UnsafeRawPointer($0) } : nil)
    }

    private static let asItIs = CUnsignedInt(CURLU_PATH_AS_IS | CURLU_NON_SUPPORT_SCHEME)
}
#endif
