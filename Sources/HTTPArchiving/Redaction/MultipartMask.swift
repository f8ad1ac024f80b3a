/// Masks the contents of secret fields in a form with files (RFC 7578), and secrets in its other text fields and in the
/// header fields of parts. A part may be an HTTP message, as in a batch.
enum MultipartMask {
    /// - Parameter boundary: As declared; nil, or one that does not occur, to take the first line that looks like one.
    static func apply(
        to text: String, boundary: String?, _ isSecret: (Substring) -> Bool, line: (Substring) -> String,
        content mask: (String) -> String, depth: Int = 0
    ) -> String {
        let declared = boundary.map { "--" + $0 }.flatMap { text.contains($0) ? $0[...] : nil }
        guard let first = declared ?? text.split(whereSeparator: isLineEnd).first(where: { $0.hasPrefix("--") }) else {
            return mask(text)
        }
        let parts = text.split(separator: first, omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part -> String in
            if index == 0 { return mask(String(part)) }
            guard let end = emptyLine(in: part) else { return String(part) }
            let (head, content) = (part[..<end.lowerBound], part[end.upperBound...])
            let start = lines(head, line) + part[end]
            if let name = name(head), isSecret(name[...]) {
                return start + ArchiveRedaction.mask + String(part[end.lowerBound])
            }
            let kind = type(head).map { BodyKind($0) }
            // The parts of a batch are in a multipart of their own, as a rule in one level.
            if let kind, kind.isMultipart, depth < 4 {
                return start
                    + apply(
                        to: String(content), boundary: kind.boundary, isSecret, line: line, content: mask,
                        depth: depth + 1)
            }
            if kind?.isMessage == true {
                let end = emptyLine(in: content)?.lowerBound ?? content.endIndex
                return start + lines(content[..<end], line) + mask(String(content[end...]))
            }
            let isText = kind?.isTextual ?? true || !content.unicodeScalars.contains("\0")
            return start + (isText ? mask(String(content)) : String(content))
        }.joined(separator: String(first))
    }

    private static func lines(_ head: Substring, _ mask: (Substring) -> String) -> String {
        var masked = ""
        var rest = head
        while !rest.isEmpty {
            let line = rest.prefix { !isLineEnd($0) }
            let ends = rest[line.endIndex...].prefix(while: isLineEnd)
            masked += mask(line) + ends
            rest = rest[ends.endIndex...]
        }
        return masked
    }

    /// Some clients end lines with a bare LF.
    private static func isLineEnd(_ character: Character) -> Bool { character == "\r\n" || character == "\n" }

    private static func emptyLine(in part: Substring) -> Range<Substring.Index>? {
        zip(part.indices, part.indices.dropFirst()).first { isLineEnd(part[$0]) && isLineEnd(part[$1]) }
            .map { $0..<part.index(after: $1) }
    }

    private static func type(_ head: Substring) -> String? { field("content-type:", in: head) }

    private static func name(_ head: Substring) -> String? {
        field("content-disposition:", in: head).flatMap { field in
            MediaType.parameters(in: field).first { $0.name == "name" }?.value
        }
    }

    private static func field(_ start: String, in head: Substring) -> String? {
        head.split(whereSeparator: isLineEnd).first { $0.lowercased().hasPrefix(start) }
            .map { String($0.dropFirst(start.count).drop { $0 == " " }) }
    }
}
