/// Finds unusable settings of a configuration before the first request.
enum CurlConfigurationCheck {
    /// Sets every option on a temporary handle, for each host that the configuration names.
    static func check(_ configuration: CurlConfiguration) throws(Unsupported) {
        // Settings of the environment are reported by the calls they concern.
        var configuration = configuration
        configuration.proxy = configuration.proxy.withoutEnvironment
        configuration.tls = configuration.tls.withoutEnvironment
        try configuration.tls.checkHosts()
        for certificate in configuration.tls.clientCertificates {
            guard let problem = ClientCertificateProblem(certificate) else { continue }
            throw Unsupported("the \(certificate)", problem.sentence)
        }
        try CurlTransferOptions.check(configuration.addressOverrides, in: configuration.usableFamily)
        if let end = configuration.localEnd {
            if let defect = end.defect(in: configuration.addressFamily) { throw defect }
            if configuration.unixSocketPath != nil {
                throw Unsupported(end.words, "a connection to a unix-domain socket has none")
            }
        }
        try configuration.destinations.check()
        if let userAgent = configuration.userAgent, userAgent.utf8.contains(where: ASCII.isControl) {
            throw Unsupported("the User-Agent \(ASCII.quoted(userAgent))", "it contains a control character")
        }
        let named = Array(configuration.tls.pins.keys) + configuration.tls.clientCertificates.flatMap { $0.hosts ?? [] }
        for host in ["localhost"] + named.sorted() {
            let scheme: Origin.Scheme = CurlLibrary.shared.hasTLS || host != "localhost" ? .https : .http
            let key = ConnectionKey(
                origin: Origin(scheme: scheme, host: host), version: configuration.version)
            let headerLists = CurlHeaderLists(userAgent: configuration.userAgent)
            _ = try CurlTransfer(key, configuration, headerLists, isShared: false)
        }
    }
}
