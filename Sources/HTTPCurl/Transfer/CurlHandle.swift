import CLibcurl

/// The options of one easy handle. An option that libcurl lacks is an error that names it.
struct CurlHandle {
    let easy: UnsafeMutableRawPointer

    func set(_ option: CURLoption, _ value: Int) { _ = shim_setopt_long(easy, option, value) }

    func set(_ option: CURLoption, _ value: String?) {
        if let value { _ = shim_setopt_string(easy, option, value) } else { _ = shim_setopt_string(easy, option, nil) }
    }

    func set(_ option: CURLoption, pointer: UnsafeRawPointer?) { _ = shim_setopt_pointer(easy, option, pointer) }

    /// Sets a requested option, or throws: an option is never ignored.
    func require(_ option: CURLoption, _ value: Int, _ feature: String) throws(Unsupported) {
        try check(shim_setopt_long(easy, option, value), feature)
    }

    func require(_ option: CURLoption, _ value: String, _ feature: String) throws(Unsupported) {
        try check(shim_setopt_string(easy, option, value), feature)
    }

    func require(_ option: CURLoption, bytes: some Collection<UInt8>, _ feature: String) throws(Unsupported) {
        let code = Array(bytes).withUnsafeBytes { shim_setopt_blob(easy, option, $0.baseAddress, $0.count) }
        try check(code, feature)
    }

    func check(_ code: CURLcode, _ feature: String) throws(Unsupported) {
        guard code != CURLE_OK else { return }
        let library = CurlLibrary.shared
        throw Unsupported(
            feature,
            "libcurl \(library.version) with \(library.tlsBackend) answers \"\(String(cString: curl_easy_strerror(code)))\""
        )
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        _ = shim_getinfo_long(easy, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        _ = shim_getinfo_offset(easy, info, &value)
        return Int64(value)
    }

    func hasText(_ info: CURLINFO) -> Bool { text(info).map { $0.pointee != 0 } ?? false }

    /// Valid until libcurl runs again. Empty if unknown.
    func text(_ info: CURLINFO) -> UnsafePointer<CChar>? {
        var value: UnsafePointer<CChar>?
        _ = shim_getinfo_string(easy, info, &value)
        return value
    }
}
