/// The TLS settings that a service states: whoever sends its requests applies them, or refuses. Nil if it states none.
enum RequiredTLSKey: MessageKey { static let defaultValue: TLSConfiguration? = nil }

extension Request {
    /// The TLS settings of its service, which an engine applies or refuses; nil if it states none.
    package var requiredTLS: TLSConfiguration? { self[RequiredTLSKey.self] }
}

extension TLSConfiguration {
    /// These settings; nil if they are the defaults. What the environment says counts as a default.
    package var stated: TLSConfiguration? {
        let isDefault =
            pins.isEmpty && clientCertificates.isEmpty && unverifiedHosts.isEmpty && authorities == .system
            && minimumVersion == .tls1_2
        return isDefault ? nil : self
    }
}
