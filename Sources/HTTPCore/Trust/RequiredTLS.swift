/// The TLS settings that a service states: whoever sends its requests applies them, or refuses.
///
/// An object, because few requests have one, and all are copied.
package final class RequiredTLS: Sendable {
    let configuration: TLSConfiguration

    private init(_ configuration: TLSConfiguration) { self.configuration = configuration }

    /// Nil, and no object, if `configuration` states nothing.
    package static func stated(by configuration: TLSConfiguration) -> RequiredTLS? {
        configuration.statesAnything ? RequiredTLS(configuration) : nil
    }

    /// Why an engine that applies `applied` may not send a request to `host`; nil if it may.
    package func refusal(of applied: TLSConfiguration, for host: String) -> Unsupported? {
        guard let setting = configuration.setting(missingIn: applied, for: host) else { return nil }
        return Unsupported(
            "\(setting) for \(ASCII.printable(host)), as the service states in its TLSConfiguration",
            "this transport applies other settings: make it with the same, CurlTransport(CurlConfiguration(tls: …))")
    }
}

enum RequiredTLSKey: MessageKey {
    static let defaultValue: RequiredTLS? = nil

    static func areEqual(_ one: RequiredTLS?, _ other: RequiredTLS?) -> Bool {
        one?.configuration == other?.configuration
    }
}

extension Request {
    /// The TLS settings of its service, which an engine applies or refuses; nil if it states none.
    package var requiredTLS: RequiredTLS? { self[RequiredTLSKey.self] }
}

extension TLSConfiguration {
    /// Whether it differs from the defaults. What the environment says counts as a default.
    fileprivate var statesAnything: Bool {
        !pins.isEmpty || !clientCertificates.isEmpty || !unverifiedHosts.isEmpty || authorities != .system
            || minimumVersion != .tls1_2
    }

    /// The first setting stated here that `applied` does not have for `host`. Pins for other hosts and a later version
    /// of TLS are no fault.
    fileprivate func setting(missingIn applied: TLSConfiguration, for host: String) -> String? {
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
