/// The file name suggested by a server (RFC 6266). It is untrusted and must not be used as a path: `FileName` makes it
/// safe.
enum ContentDisposition {
    /// The name of `filename*` if it is valid and not empty, else that of `filename`; nil for none. If a parameter occurs
    /// twice, the first counts. The disposition type does not matter: `inline` names a file as well.
    static func fileName(_ field: String) -> String? {
        let parameters = MediaType.parameters(in: FieldOctets.readable(field))
        let extended = parameters.first { $0.name == "filename*" }.flatMap { decoded($0.value) }
        return extended ?? parameters.first { $0.name == "filename" }?.value
    }

    /// Decodes `UTF-8'en'na%C3%AFve` (RFC 8187 §3.2). Nil for another charset, and for invalid text.
    private static func decoded(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty else { return nil }
        let (bytes, isBroken) = PercentEncoding.decoded(parts[2].utf8)
        guard !isBroken else { return nil }
        switch ASCII.lowercased(ASCII.trimmed(parts[0])) {
        case "utf-8", "utf8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
