/// The words into which a POSIX shell splits a line (POSIX.1-2017, Shell Command Language §2.2). Outside single quotes
/// the line has only escaped quotes, pipes, one input file, and `"$(printf …)"`.
enum ShellWords {
    /// The words of each command of a pipe; nil if the line has anything else with a meaning for a shell.
    static func commands(_ line: String) -> [[String]]? {
        var commands: [[String]] = [[]]
        var word: [UInt8]?
        var rest = Array(line.utf8)[...]
        func finished() -> String? { word.map { String(decoding: $0, as: UTF8.self) } }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "'"):
                guard let end = rest.firstIndex(of: byte) else { return nil }
                word = (word ?? []) + rest[..<end]
                rest = rest[(end + 1)...]
            case UInt8(ascii: "\""):
                guard let bytes = substitution(&rest) else { return nil }
                word = (word ?? []) + bytes
            case UInt8(ascii: "\\"):
                guard rest.popFirst() == UInt8(ascii: "'") else { return nil }
                word = (word ?? []) + [UInt8(ascii: "'")]
            case 0x20:
                if let text = finished() { commands[commands.count - 1].append(text) }
                word = nil
            case UInt8(ascii: "|"):
                guard word == nil else { return nil }
                commands.append([])
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "@"), UInt8(ascii: "."):
                word = (word ?? []) + [byte]
            default: return nil
            }
        }
        if let text = finished() { commands[commands.count - 1].append(text) }
        return commands
    }

    /// The value of `$(printf '…')"`, without trailing line feeds, which the shell removes; nil for anything else.
    private static func substitution(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        let (start, end) = (Array("$(printf '".utf8), Array("')\"".utf8))
        guard rest.starts(with: start) else { return nil }
        rest = rest.dropFirst(start.count)
        guard let quote = rest.firstIndex(of: UInt8(ascii: "'")), rest[quote...].starts(with: end) else { return nil }
        defer { rest = rest[(quote + end.count)...] }
        guard var bytes = printf(["printf", String(decoding: rest[..<quote], as: UTF8.self)]) else { return nil }
        while bytes.last == 0x0A { bytes.removeLast() }
        return bytes
    }

    /// The output of `printf` for a format of octal escapes and doubled percent signs; nil for any other.
    static func printf(_ words: [String]) -> [UInt8]? {
        guard words.count == 2, words[0] == "printf", !words[1].utf8.starts(with: "-".utf8) else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(words[1].utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard rest.popFirst() == byte else { return nil }
                bytes.append(byte)
            case UInt8(ascii: "\\"):
                guard let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(3)
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
