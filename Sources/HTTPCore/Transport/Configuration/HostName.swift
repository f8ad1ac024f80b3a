/// Host names as configurations and URLs write them: in any case, with or without the dot of the root behind them, an
/// IPv6 address in brackets or not. A setting holds for its host however the name is spelled.
enum HostName {
    static func canonical(_ name: String) -> String {
        var name = ASCII.lowercased(name)
        if name.hasPrefix("["), name.hasSuffix("]") { return String(name.dropFirst().dropLast()) }
        if name.hasSuffix(".") { name.removeLast() }
        return name
    }

    static func areEqual(_ one: String, _ other: String) -> Bool { canonical(one) == canonical(other) }
}

extension TLSConfiguration {
    /// Nil when `host` is not pinned.
    func pins(for host: String) -> [PublicKeyPin]? {
        let entries = pins.filter { HostName.areEqual($0.key, host) }
        return entries.isEmpty ? nil : entries.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    func verifies(_ host: String) -> Bool { !unverifiedHosts.contains { HostName.areEqual($0, host) } }

    /// The certificate to show to `host`; nil for none.
    func clientCertificate(for host: String) -> ClientCertificate? {
        guard let clientCertificate else { return nil }
        guard let hosts = clientCertificate.hosts else { return clientCertificate }
        return hosts.contains { HostName.areEqual($0, host) } ? clientCertificate : nil
    }
}
