import CLibcurl

import HTTPCore

/// A URL as parsed by libcurl's URL API.
struct EngineURL {
    private let parts: OpaquePointer

    /// Nil if libcurl refuses it.
    init?(_ text: String, flags: Int32) {
        guard !text.utf8.contains(0), let parts = curl_url() else { return nil }
        guard curl_url_set(parts, CURLUPART_URL, text, CUnsignedInt(flags)) == CURLUE_OK else {
            curl_url_cleanup(parts)
            return nil
        }
        self.parts = parts
    }

    subscript(_ part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(parts, part, &text, CUnsignedInt(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// libcurl reads the URL that is sent as we do, with the flags that the transport sets.
    static func compare(_ url: HTTPURL) {
        let text = url.string
        guard let engine = EngineURL(text, flags: CURLU_PATH_AS_IS | CURLU_NON_SUPPORT_SCHEME) else {
            // It is an error there, and nothing is sent.
            return
        }
        defer { curl_url_cleanup(engine.parts) }
        require(
            engine[CURLUPART_SCHEME] == url.scheme.rawValue, "\(text) has the scheme \(engine[CURLUPART_SCHEME] ?? "")")
        require(
            isSameHost(engine[CURLUPART_HOST] ?? "", url.host), "\(text) has the host \(engine[CURLUPART_HOST] ?? "")")
        require(engine[CURLUPART_PORT] == String(url.port), "\(text) has the port \(engine[CURLUPART_PORT] ?? "")")
        require(engine[CURLUPART_USER] == nil, "\(text) has a user")
        require(engine[CURLUPART_PATH] == String(url.path), "\(text) has the path \(engine[CURLUPART_PATH] ?? "")")
        require(
            engine[CURLUPART_QUERY] ?? "" == url.query ?? "", "\(text) has the query \(engine[CURLUPART_QUERY] ?? "")")
    }

    /// A check of a URL with libcurl, before it gets here, sees the same origin or none.
    static func compare(_ url: HTTPURL, asWritten text: String) {
        guard let engine = EngineURL(text, flags: 0) else { return }
        defer { curl_url_cleanup(engine.parts) }
        let host = ASCII.lowercased(engine[CURLUPART_HOST] ?? "")
        require(isSameHost(host, url.host), "\(text.debugDescription) has the host \(host) there and \(url.host) here")
        require(engine[CURLUPART_PORT] == String(url.port), "\(text.debugDescription) has another port there")
    }

    /// An IPv6 address has several spellings.
    private static func isSameHost(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard let address = IPAddress.bytes(of: one) else { return false }
        return address == IPAddress.bytes(of: other)
    }
}
