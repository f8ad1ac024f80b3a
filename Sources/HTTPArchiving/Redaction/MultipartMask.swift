import HTTPCore

/// Masks the contents of secret fields in a form with files (RFC 7578), and secrets in its other text fields.
enum MultipartMask {
    static func apply(
        to text: String, _ isSecret: (Substring) -> Bool, content mask: (String) -> String
    ) -> String {
        guard let first = text.split(separator: "\r\n", maxSplits: 1, omittingEmptySubsequences: false).first,
            first.hasPrefix("--")
        else { return mask(text) }
        return text.split(separator: first, omittingEmptySubsequences: false).map { part -> String in
            guard let end = part.firstRange(of: "\r\n\r\n") else { return String(part) }
            let head = part[..<end.lowerBound]
            if let name = name(head), isSecret(name[...]) {
                return part[..<end.upperBound] + ArchiveRedaction.mask + "\r\n"
            }
            guard type(head).map({ BodyKind($0).isTextual }) ?? true else { return String(part) }
            return part[..<end.upperBound] + mask(String(part[end.upperBound...]))
        }.joined(separator: String(first))
    }

    private static func type(_ head: Substring) -> String? { field("content-type:", in: head) }

    private static func name(_ head: Substring) -> String? {
        field("content-disposition:", in: head).flatMap { field in
            MediaType.parameters(in: field).first { $0.name == "name" }?.value
        }
    }

    private static func field(_ start: String, in head: Substring) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(start) }
            .map { String($0.dropFirst(start.count).drop { $0 == " " }) }
    }
}
