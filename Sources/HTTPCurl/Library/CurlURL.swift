import CLibcurl
import HTTPCore

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
        if isTaken != isInUse {
            isInUse = isTaken
            handle.set(CURLOPT_CURLU, pointer: isTaken ? parts.map { UnsafeRawPointer($0) } : nil)
        }
        // What is wrong with it, libcurl says only of the text. After the parts: to take these away takes the text, too.
        if !isTaken { handle.set(CURLOPT_URL, url) }
    }

    private static let asItIs = CUnsignedInt(CURLU_PATH_AS_IS | CURLU_NON_SUPPORT_SCHEME)
}
