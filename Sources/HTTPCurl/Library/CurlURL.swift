import CLibcurl

/// A URL already split for libcurl, which then does not parse it for each transfer. Freed with its owner, which must
/// outlive its use by the handle.
final class CurlURL {
    private let parts: OpaquePointer?
    /// Whether the handle uses the parts and not the text.
    private var isInUse = false

    init() { parts = curl_url() }

    deinit { curl_url_cleanup(parts) }

    /// Sets the URL of the next transfer of `handle`, unchanged.
    func set(_ url: String, on handle: CurlHandle) {
        let isTaken = parts.map { curl_url_set($0, CURLUPART_URL, url, Self.asItIs) == CURLUE_OK } ?? false
        if isTaken != isInUse {
            isInUse = isTaken
            handle.set(CURLOPT_CURLU, pointer: isTaken ? parts.map { UnsafeRawPointer($0) } : nil)
        }
        // libcurl reports errors for the text only. Set after the parts, because removing these removes the text, too.
        if !isTaken { handle.set(CURLOPT_URL, url) }
    }

    private static let asItIs = CUnsignedInt(CURLU_PATH_AS_IS | CURLU_NON_SUPPORT_SCHEME)
}
