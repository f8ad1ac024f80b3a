import HTTPFoundation

/// The characters of a document.
enum DocumentText {
    /// The document as UTF-8, with line ends as the parser sees them (XML 1.0 §2.11).
    ///
    /// Its charset is that of the byte order mark, else of the Content-Type, else of the XML declaration, else UTF-8 (RFC
    /// 7303 §3).
    static func utf8(of body: Data, charset: String?) throws(DocumentProblem) -> [UInt8] {
        let label = charset ?? unmarkedUTF16(body) ?? declaredEncoding(body)
        let text: String
        do { text = try TextDecoding.decode(body, charset: label.map(ASCII.lowercased)) } catch {
            throw DocumentProblem(error.description)
        }
        return withUnixLineEnds(Array(text.utf8))
    }

    /// UTF-16 without a byte order mark, recognized by the zeros around `<` (XML 1.0 appendix F).
    private static func unmarkedUTF16(_ body: Data) -> String? {
        if body.starts(with: [0, 0x3C, 0]) { return "utf-16be" }
        return body.starts(with: [0x3C, 0]) ? "utf-16le" : nil
    }

    /// `<?xml version="1.0" encoding="…"?>`
    private static func declaredEncoding(_ body: Data) -> String? {
        let start = String(decoding: body.prefix(200), as: UTF8.self)
        guard start.hasPrefix("<?xml"), let end = start.firstRange(of: "?>"),
            let key = start[..<end.lowerBound].firstRange(of: "encoding")
        else { return nil }
        let rest = start[key.upperBound..<end.lowerBound]
        guard let quote = rest.firstIndex(where: { $0 == "\"" || $0 == "'" }) else { return nil }
        let name = String(rest[rest.index(after: quote)...].prefix { $0 != rest[quote] })
        // What could be read until here has no wide units, as that of .NET's StringWriter (WHATWG HTML §13.2.3.2).
        return TextEncoding.named(ASCII.lowercased(name))?.isWide == true ? nil : name
    }

    private static func withUnixLineEnds(_ bytes: [UInt8]) -> [UInt8] {
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        guard bytes.contains(cr) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if byte == cr {
                result.append(lf)
            } else if byte != lf || index == 0 || bytes[index - 1] != cr {
                result.append(byte)
            }
        }
        return result
    }
}
