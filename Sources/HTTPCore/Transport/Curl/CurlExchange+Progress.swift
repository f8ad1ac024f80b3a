#if canImport(CLibcurl)

/// How far an exchange is.
extension CurlExchange {
    /// Whether the request went out, or is about to.
    var isConnected: Bool { connection.isReady }

    /// Whether all of the request's body was handed out.
    var hasGivenBody: Bool { upload.isEmpty }

    /// Whether there is something to see to that came: more to decode, or a violation that libcurl does not know of.
    var isBehind: Bool { isHeld || stop != nil }

    /// Whether a line of a response has come, be it of an interim one.
    var hasResponseBegun: Bool { headerByteCount > 0 }
}
#endif
