/// Parses a netrc file into entries.
struct NetrcParser {
    private var rest: ArraySlice<UInt8>
    private var line = 1

    init(_ text: String) { rest = Array(text.utf8)[...] }

    consuming func entries() throws(NetrcProblem) -> [Netrc.Entry] {
        var parser = self
        var entries: [Netrc.Entry] = []
        while let word = try parser.word() {
            switch ASCII.lowercased(word) {
            case "machine":
                entries.append(Netrc.Entry(machine: HostName.canonical(try parser.value(of: "machine"))))
            case "default": entries.append(Netrc.Entry(machine: nil))
            case "macdef": parser.skipMacro()
            case let keyword where ["login", "password", "account"].contains(keyword):
                let value = try parser.value(of: keyword)
                guard var entry = entries.popLast() else {
                    throw parser.problem("\"\(keyword)\" stands before any machine")
                }
                if keyword == "login" { entry.login = value }
                if keyword == "password" { entry.password = value }
                entries.append(entry)
            default:
                throw parser.problem("a word stands where machine, default, login, password, account or macdef should")
            }
        }
        return entries
    }

    private mutating func value(of keyword: String) throws(NetrcProblem) -> String {
        skipBlanks()
        // Other parsers take it for a comment, or for the value.
        guard rest.first != UInt8(ascii: "#") else {
            throw problem("the \(keyword) begins with #: write it in double quotes")
        }
        guard let value = try word() else { throw problem("\"\(keyword)\" has nothing after it") }
        return value
    }

    /// The next word; nil at the end.
    private mutating func word() throws(NetrcProblem) -> String? {
        skipBlanksAndComments()
        guard let first = rest.first else { return nil }
        let bytes = first == UInt8(ascii: "\"") ? try quoted() : plain()
        guard let word = String(validating: bytes, as: UTF8.self), !word.utf8.contains(0) else {
            throw problem("a word is not text")
        }
        return word
    }

    private mutating func skipBlanksAndComments() {
        skipBlanks()
        while rest.first == UInt8(ascii: "#") {
            rest = rest.drop { $0 != 0x0A }
            skipBlanks()
        }
    }

    private mutating func skipBlanks() {
        while let byte = rest.first, Self.isBlank(byte) {
            if byte == 0x0A { line += 1 }
            rest = rest.dropFirst()
        }
    }

    private mutating func plain() -> [UInt8] {
        let word = rest.prefix { !Self.isBlank($0) }
        rest = rest.dropFirst(word.count)
        return Array(word)
    }

    private mutating func quoted() throws(NetrcProblem) -> [UInt8] {
        rest = rest.dropFirst()
        var word: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                guard rest.first.map(Self.isBlank) ?? true else { throw problem("something follows a closing quote") }
                return word
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { throw problem("a quoted word does not end") }
                word.append(Self.meaning(ofEscaped: escaped))
            case 0x0A: throw problem("a quoted word does not end on its line")
            default: word.append(byte)
            }
        }
        throw problem("a quoted word does not end")
    }

    private static func meaning(ofEscaped byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    /// Skips the macro's name and lines, up to an empty line or the end.
    private mutating func skipMacro() {
        while !rest.isEmpty {
            let text = rest.prefix { $0 != 0x0A }
            rest = rest.dropFirst(text.count + 1)
            line += 1
            let next = rest.prefix { $0 != 0x0A }
            if next.allSatisfy({ $0 == 0x0D }) { return }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private func problem(_ text: String) -> NetrcProblem { NetrcProblem("line \(line) of the netrc file: \(text)") }
}
