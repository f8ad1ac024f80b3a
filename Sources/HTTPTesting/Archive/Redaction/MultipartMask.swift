/// Masks the contents of secret fields in the text of a form with files (RFC 7578).
enum MultipartMask {
    static func apply(to text: String, _ isSecret: (Substring) -> Bool) -> String {
        guard let first = text.split(separator: "\r\n", maxSplits: 1, omittingEmptySubsequences: false).first,
            first.hasPrefix("--")
        else { return text }
        return text.split(separator: first, omittingEmptySubsequences: false).map { part -> String in
            guard let end = part.firstRange(of: "\r\n\r\n"), let name = name(part[..<end.lowerBound]), isSecret(name)
            else { return String(part) }
            return part[..<end.upperBound] + ArchiveRedaction.mask + "\r\n"
        }.joined(separator: String(first))
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
