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
        guard let mark = head.firstRange(of: "; name=\"") else { return nil }
        return head[mark.upperBound...].prefix { $0 != "\"" }
    }
}
