/// The entities that a document declares, and how much they have added to it.
struct DocumentEntities {
    /// Nil for an external one.
    private var texts: [String: [UInt8]?] = [:]
    private var added = 0

    /// The first declaration of a name counts (XML 1.0 §4.2).
    mutating func declare(_ name: String, _ text: [UInt8]?) {
        if texts[name] == nil { texts[name] = .some(text) }
    }

    /// The text that a reference stands for.
    mutating func expand(_ name: String) throws(DocumentProblem) -> [UInt8] {
        guard let declared = texts[name] else {
            throw DocumentProblem("the entity \(name) is not declared in the document")
        }
        guard let text = declared else {
            throw DocumentProblem("the entity \(name) is external, and nothing is fetched")
        }
        // Counted even if it is empty: time is limited, too.
        added += text.count + 16
        guard added <= DocumentParser.expansionLimit else {
            throw DocumentProblem(
                "the entities of the document add more than \(DocumentParser.expansionLimit) bytes to it")
        }
        return text
    }
}

/// A reference in a document: `&#233;`, `&#xE9;`, `&amp;`, `&name;`.
enum DocumentReference {
    case character(Unicode.Scalar)
    case entity(String)

    /// Reads the reference at `place`, and moves that behind it.
    init(in bytes: [UInt8], at place: inout Int) throws(DocumentProblem) {
        let start = place
        guard let end = bytes[start...].prefix(100).firstIndex(of: UInt8(ascii: ";")) else {
            throw Self.none
        }
        let name = bytes[(start + 1)..<end]
        place = end + 1
        if name.first == UInt8(ascii: "#") {
            let isHex = name.dropFirst().first == UInt8(ascii: "x")
            let digits = name.dropFirst(isHex ? 2 : 1)
            guard digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
                let value = UInt32(String(decoding: digits, as: UTF8.self), radix: isHex ? 16 : 10),
                let scalar = Unicode.Scalar(value), value >= 0x20 || [0x09, 0x0A, 0x0D].contains(value),
                value != 0xFFFE, value != 0xFFFF
            else { throw DocumentProblem("&\(String(decoding: name, as: UTF8.self)); is not a character") }
            self = .character(scalar)
            return
        }
        guard let first = name.first, Self.isNameStart(first), name.allSatisfy(Self.isNameByte) else {
            throw Self.none
        }
        self =
            switch String(decoding: name, as: UTF8.self) {
            case "amp": .character("&")
            case "lt": .character("<")
            case "gt": .character(">")
            case "quot": .character("\"")
            case "apos": .character("'")
            case let name: .entity(name)
            }
    }

    private static let none = DocumentProblem("& begins no reference: write &amp; for the character")

    static func isNameStart(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        isNameStart(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
