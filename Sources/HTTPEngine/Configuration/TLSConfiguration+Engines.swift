import HTTPSupport

// What an engine asks of the settings: which hold for a host, whether they are those that a service states, and what they
// change about whom its client trusts.

extension TLSConfiguration {
    package var withoutEnvironment: TLSConfiguration {
        var copy = self
        copy.environmentFile = nil
        copy.environmentDirectory = nil
        return copy
    }

    /// The pins for `host`; nil if it is not pinned.
    package func pins(for host: String) -> [PublicKeyPin]? {
        let entries = pins.filter { HostName.areEqual($0.key, host) }
        return entries.isEmpty ? nil : entries.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// Throws for the first name that no host can have, since it would not protect the host that it was meant for, and for
    /// the first invalid pin, in order of hosts.
    package func checkHosts() throws(Unsupported) {
        let lists = [
            ("the pins", Array(pins.keys)), ("the unverified hosts", Array(unverifiedHosts)),
            ("the hosts of the client certificate", clientCertificates.flatMap { $0.hosts ?? [] }),
        ]
        for (list, hosts) in lists {
            for host in hosts.sorted() {
                guard let problem = HostName.problem(host) else { continue }
                throw Unsupported("\(ASCII.quoted(host)) among \(list)", "it \(problem)")
            }
        }
        for (_, pins) in pins.sorted(by: { $0.key < $1.key }) {
            for pin in pins { try pin.check() }
        }
    }

    package func verifies(_ host: String) -> Bool { !unverifiedHosts.contains { HostName.areEqual($0, host) } }

    /// The certificate for `host`; nil for none.
    package func clientCertificate(for host: String) -> ClientCertificate? {
        clientCertificateIndex(for: host).map { clientCertificates[$0] }
    }

    /// The index in `clientCertificates` of the certificate for `host`; nil for none.
    package func clientCertificateIndex(for host: String) -> Int? {
        clientCertificates.firstIndex { $0.hosts?.contains { HostName.areEqual($0, host) } ?? false }
            ?? clientCertificates.firstIndex { $0.hosts == nil }
    }
}

extension TLSConfiguration {
    /// Why an engine that applies `applied` may not send a request that requires these settings to `host`; nil if it may.
    /// `remedy` is how to make a transport that has them.
    package func refusal(
        of applied: TLSConfiguration, for host: String, remedy: String = "make it with the same ones"
    ) -> Unsupported? {
        guard let setting = setting(missingIn: applied, for: host) else { return nil }
        return Unsupported(
            "\(setting) for \(ASCII.printable(host)), as the service states in its TLSConfiguration",
            "this transport applies other settings: \(remedy)")
    }

    /// The first setting stated here that `applied` does not have for `host`. Pins for other hosts and a later version
    /// of TLS are no fault.
    private func setting(missingIn applied: TLSConfiguration, for host: String) -> String? {
        if let pins = pins(for: host), applied.pins(for: host).map(Set.init) != Set(pins) { return "the pinned keys" }
        if let certificate = clientCertificate(for: host), applied.clientCertificate(for: host) != certificate {
            return "the client certificate"
        }
        if authorities != .system, applied.authorities != authorities { return "the trusted authorities" }
        if minimumVersion == .tls1_3, applied.minimumVersion != .tls1_3 { return "TLS 1.3 at least" }
        guard verifies(host) != applied.verifies(host) else { return nil }
        return verifies(host) ? "a verified certificate" : "an unverified certificate"
    }
}

extension TLSConfiguration {
    /// What it changes about whom a client trusts.
    package var trustSettings: [String: String?] {
        let authority: String? =
            switch authorities {
            case .system: nil
            case .file(let path): "file \(path)"
            case .directory(let path): "directory \(path)"
            case .bytes(let data): "bytes \(SHA256.hexadecimal(of: data))"
            }
        return [
            "authorities": authority, "SSL_CERT_FILE": environmentFile, "SSL_CERT_DIR": environmentDirectory,
            "certificates": ClientTrust.text(clientCertificates.enumerated().map { "\($0) \($1.trustText)" }),
            "pins": ClientTrust.text(
                pins.map { host, pins in "\(host) \(pins.map(\.base64).sorted().joined(separator: " "))" }),
            "version": minimumVersion == .tls1_2 ? nil : "\(minimumVersion)",
            "unverified": ClientTrust.text(unverifiedHosts),
        ]
    }
}

extension ClientCertificate {
    fileprivate var trustText: String {
        let bytes =
            switch form {
            case .pem(let certificate, let key): SHA256.hexadecimal(of: certificate) + SHA256.hexadecimal(of: key)
            case .pkcs12(let data): SHA256.hexadecimal(of: data)
            }
        return "\(bytes) \(hosts.flatMap { ClientTrust.text($0) } ?? "")"
    }
}
