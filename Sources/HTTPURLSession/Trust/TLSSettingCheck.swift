/// Refuses TLS settings that a URLSession cannot apply, when the transport is made.
enum TLSSettingCheck {
    /// For URLSession on Linux, which does not ask its delegate about certificates.
    static func withoutChallenges(_ tls: TLSConfiguration) throws(HTTPError) {
        if let setting = changedSetting(of: tls) {
            throw unsupported(setting, "URLSession on Linux shows no certificate and takes none; use CurlTransport")
        }
    }

    /// For URLSession on Apple's systems, which asks its delegate about certificates.
    static func withChallenges(_ tls: TLSConfiguration) throws(HTTPError) {
        do throws(Unsupported) { try tls.checkHosts() } catch { throw .unsupported(error) }
        for (host, pins) in tls.pins.sorted(by: { $0.key < $1.key }) where pins.isEmpty {
            throw unsupported("an empty list of pins for \(host)", "no key could match; leave the host out")
        }
        for certificate in tls.clientCertificates {
            guard case .pem = certificate.form else { continue }
            throw unsupported(
                "TLSConfiguration.clientCertificates: the \(certificate)",
                "URLSession takes a key only from PKCS#12; make a container by `openssl pkcs12 -export`"
                    + " and give it as .pkcs12, or use CurlTransport")
        }
        if case .directory(let path) = tls.authorities {
            throw unsupported(
                "TLSConfiguration.authorities: the directory \(path)",
                "URLSession looks up no authority by its hash; give the certificates as .file or .bytes")
        }
    }

    /// The first setting that differs from its default.
    private static func changedSetting(of tls: TLSConfiguration) -> String? {
        if !tls.clientCertificates.isEmpty { return "TLSConfiguration.clientCertificates" }
        if !tls.pins.isEmpty { return "TLSConfiguration.pins" }
        if !tls.unverifiedHosts.isEmpty { return "TLSConfiguration.unverifiedHosts" }
        if tls.minimumVersion != .tls1_2 { return "TLSConfiguration.minimumVersion" }
        if case .system = tls.authorities { return nil }
        return "TLSConfiguration.authorities"
    }

    static func unsupported(_ setting: String, _ reason: String) -> HTTPError {
        .unsupported(Unsupported(setting, reason))
    }
}
