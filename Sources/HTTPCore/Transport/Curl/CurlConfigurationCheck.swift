#if canImport(CLibcurl)
/// Finds out what a configuration asks for in vain, before the first request.
enum CurlConfigurationCheck {
    /// Sets every option on a handle that is thrown away, for each host that the configuration names.
    static func check(_ configuration: CurlConfiguration) throws(Unsupported) {
        // What the environment says is reported by the calls it concerns.
        var configuration = configuration
        configuration.proxy = configuration.proxy.withoutEnvironment
        configuration.tls = configuration.tls.withoutEnvironment
        try CurlTransferOptions.check(configuration.addressOverrides)
        if let userAgent = configuration.userAgent, userAgent.utf8.contains(where: ASCII.isControl) {
            throw Unsupported("the User-Agent \(userAgent.debugDescription)", "it contains a control character")
        }
        let named = Array(configuration.tls.pins.keys) + Array(configuration.tls.clientCertificate?.hosts ?? [])
        for host in ["localhost"] + named.sorted() {
            let scheme: Origin.Scheme = CurlLibrary.shared.hasTLS || host != "localhost" ? .https : .http
            let key = CurlTransfer.Key(
                origin: Origin(scheme: scheme, host: host), version: configuration.version)
            let headerLists = CurlHeaderLists(userAgent: configuration.userAgent)
            _ = try CurlTransfer(key, configuration, headerLists, isShared: false)
        }
    }
}
#endif
