/// Masks an exchange before it is stored, so that no secret gets into a file.
///
/// `standard` masks credentials in header fields, the values of cookies, and values with secret-looking names in
/// queries, forms, JSON, multipart fields, property lists, and elements and attributes of XML. Replay compares masked
/// requests, too, so an archive works with any credentials. Names are recognized, not contents: secrets in paths and in
/// the text of pages stay, unless `editingRequests` or `editingResponses` removes them.
///
/// The compressed text of a request is not kept, for nothing can be recognized in it; it equals any. Nor is that of a
/// response whose content was not decoded, if it is gzip, zlib or zstd. Brotli is not recognized, and neither are secrets
/// in binary property lists.
public struct ArchiveRedaction: Sendable {
    /// The replacement for a secret. It is valid anywhere in a URL, too.
    public static let mask = "REDACTED"

    /// The default.
    public static let standard = ArchiveRedaction()

    /// Masks only the given names. Such an archive is as secret as the recorded exchanges.
    public static let none = ArchiveRedaction().changed { $0.knowsSecretNames = false }

    private var knowsSecretNames = true
    private var maskedNames: Set<String> = []
    private var keptNames: Set<String> = []
    private var masksValues = false
    private var requestEdits: [@Sendable (inout HTTPArchive.Request) -> Void] = []
    private var responseEdits: [@Sendable (inout HTTPArchive.Response) -> Void] = []

    /// Also masks values with these names: header fields, cookies, query items, form fields, members of JSON objects,
    /// and elements and attributes of XML, whatever their prefix. Case does not matter. A number in JSON becomes 0.
    public func masking(_ names: String...) -> ArchiveRedaction { masking(names) }

    /// The same with a list.
    public func masking(_ names: [String]) -> ArchiveRedaction {
        let names = names.map { $0.lowercased() }
        return changed {
            $0.maskedNames.formUnion(names)
            $0.keptNames.subtract(names)
        }
    }

    /// Keeps values with these names, even if they look secret.
    public func keeping(_ names: String...) -> ArchiveRedaction { keeping(names) }

    /// The same with a list.
    public func keeping(_ names: [String]) -> ArchiveRedaction {
        let names = names.map { $0.lowercased() }
        return changed {
            $0.keptNames.formUnion(names)
            $0.maskedNames.subtract(names)
        }
    }

    /// Changes each masked request: before it is stored, and before it is compared with stored ones. It must be
    /// idempotent.
    public func editingRequests(_ edit: @escaping @Sendable (inout HTTPArchive.Request) -> Void) -> ArchiveRedaction {
        changed { $0.requestEdits.append(edit) }
    }

    /// Changes each masked response before it is stored.
    public func editingResponses(_ edit: @escaping @Sendable (inout HTTPArchive.Response) -> Void) -> ArchiveRedaction {
        changed { $0.responseEdits.append(edit) }
    }

    /// Replaces `secret` by the mask wherever it occurs: in a URL (also percent-encoded), a field, a cookie, a body (also
    /// as a form or JSON writes it) or an error.
    public func masking(value secret: String) -> ArchiveRedaction {
        guard !secret.isEmpty else { return self }
        let text = SecretText(secret, mask: Self.mask)
        return changed { $0.masksValues = true }
            .editingRequests { $0.mask(text) }.editingResponses { $0.mask(text) }
    }

    private func changed(_ change: (inout ArchiveRedaction) -> Void) -> ArchiveRedaction {
        var copy = self
        change(&copy)
        return copy
    }
}

extension ArchiveRedaction {
    /// Whether there is anything to look for in a body.
    var masksAnything: Bool { knowsSecretNames || !maskedNames.isEmpty || masksValues }

    func masksQuery(_ name: some StringProtocol) -> Bool { masks(name) { SecretName.inQuery($0) } }
    func masksHeader(_ name: String) -> Bool { masks(name) { SecretName.inHeader($0) } }
    /// By default a cookie's value is masked whatever its name, and so is that of each cookie in a field that is masked.
    func masksCookie(_ name: some StringProtocol) -> Bool {
        let names = [name.lowercased(), "cookie", "set-cookie"]
        return !keeps(name) && (knowsSecretNames || !maskedNames.isDisjoint(with: names))
    }
    func keeps(_ name: some StringProtocol) -> Bool { keptNames.contains(name.lowercased()) }

    func bodyTreatment(_ name: Substring) -> MemberMask.Treatment {
        guard masks(name, { SecretName.inBody($0) }) else { return .keep }
        return maskedNames.contains(name.lowercased()) ? .maskAll : .maskText
    }

    private func masks<Name: StringProtocol>(_ name: Name, _ looksSecret: (Name) -> Bool) -> Bool {
        !keeps(name) && (maskedNames.contains(name.lowercased()) || (knowsSecretNames && looksSecret(name)))
    }

    func edit(_ request: inout HTTPArchive.Request) { for edit in requestEdits { edit(&request) } }
    func edit(_ response: inout HTTPArchive.Response) { for edit in responseEdits { edit(&response) } }
}
