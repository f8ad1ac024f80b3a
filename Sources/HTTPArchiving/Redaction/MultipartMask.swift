/// Masks the contents of secret fields in a form with files (RFC 7578), and secrets in its other text fields.
enum MultipartMask {
    static func apply(
        to text: String, _ isSecret: (Substring) -> Bool, content mask: (String) -> String
    ) -> String {
        guard let first = text.split(separator: "\r\n", maxSplits: 1, omittingEmptySubsequences: false).first,
            first.hasPrefix("--")
        else { return text }
        return text.split(separator: first, omittingEmptySubsequences: false).map { part -> String in
            guard let end = part.firstRange(of: "\r\n\r\n") else { return String(part) }
            let head = part[..<end.lowerBound]
            if let name = name(head), isSecret(name) {
                return part[..<end.upperBound] + ArchiveRedaction.mask + "\r\n"
            }
            guard type(head).map({ BodyKind($0).isTextual }) ?? true else { return String(part) }
            return part[..<end.upperBound] + mask(String(part[end.upperBound...]))
        }.joined(separator: String(first))
    }

    private static func type(_ head: Substring) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-type:") }
            .map { String($0.dropFirst("content-type:".count).drop { $0 == " " }) }
    }

    private static func name(_ head: Substring) -> Substring? {
        var rest = head
        while let mark = rest.firstRange(of: "name=") {
            let isWhole = [" ", ";", "\t"].contains(rest[..<mark.lowerBound].last ?? "x")
            rest = rest[mark.upperBound...]
            guard isWhole else { continue }
            return rest.first == "\""
                ? rest.dropFirst().prefix { $0 != "\"" } : rest.prefix { $0 != ";" && $0 != "\r\n" }
        }
        return nil
    }
}
