import HTTPFoundation

/// Masks the values of secret names in JSON, or in text that contains JSON: lines, events, scripts, strings of JSON.
///
/// It looks for `"name": value` and leaves every other byte unchanged, so truncated text is masked, too.
struct MemberMask {
    /// How the value of a name is treated.
    enum Treatment { case keep, maskText, maskAll }

    private let bytes: [UInt8]
    private let treatment: (Substring) -> Treatment
    private var place = 0
    private var out: [UInt8] = []

    static func apply(to text: String, _ treatment: @escaping (Substring) -> Treatment) -> String {
        var mask = MemberMask(bytes: Array(text.utf8), treatment: treatment)
        mask.run()
        return String(decoding: mask.out, as: UTF8.self)
    }

    private init(bytes: [UInt8], treatment: @escaping (Substring) -> Treatment) {
        self.bytes = bytes
        self.treatment = treatment
        out.reserveCapacity(bytes.count)
    }

    private mutating func run() {
        while let quote = bytes.next(UInt8(ascii: "\""), from: place) {
            copy(to: quote)
            let start = place + 1
            takeText()
            guard let treatment = treatmentBehind(start..<max(start, place - 1)), treatment != .keep else { continue }
            skipBlanks()
            copy(to: place + 1)
            skipBlanks()
            // A number within the value, such as an expiry, is none itself.
            let isNumber = place < bytes.count && (ASCII.isDigit(bytes[place]) || bytes[place] == UInt8(ascii: "-"))
            maskValue(isNumber ? .maskAll : treatment)
        }
        copy(to: bytes.count)
    }

    /// A string, which may contain JSON in turn.
    private mutating func takeText() {
        let end = textEnd
        guard end > place + 2, bytes[place..<end].contains(UInt8(ascii: "\\")),
            let text = try? JSONDecoder().decode(String.self, from: Data(bytes[place..<end]))
        else { return copy(to: end) }
        let masked = MemberMask.apply(to: text, treatment)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard masked != text, let quoted = try? encoder.encode(masked) else { return copy(to: end) }
        out += quoted
        place = end
    }

    /// What the last string implies for the value after it; nil if it is not a name.
    private func treatmentBehind(_ name: Range<Int>) -> Treatment? {
        let next = bytes[place...].first { !ASCII.isJSONSpace($0) }
        guard next == UInt8(ascii: ":") else { return nil }
        return treatment(Substring(decoding: bytes[name].unescaped, as: UTF8.self))
    }

    /// Including all nested values.
    private mutating func maskValue(_ treatment: Treatment) {
        guard place < bytes.count else { return }
        switch bytes[place] {
        case UInt8(ascii: "\""):
            let end = textEnd
            let isEmpty = end == place + 2 && bytes[place + 1] == UInt8(ascii: "\"")
            place = end
            out += isEmpty ? Array("\"\"".utf8) : Array("\"\(ArchiveRedaction.mask)\"".utf8)
        case UInt8(ascii: "{"), UInt8(ascii: "["): maskContainer(treatment)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            let end = bytes[place...].firstIndex { !"0123456789+-.eE".utf8.contains($0) } ?? bytes.count
            if treatment == .maskAll { out.append(UInt8(ascii: "0")) } else { out += bytes[place..<end] }
            place = end
        default: break
        }
    }

    private mutating func maskContainer(_ treatment: Treatment) {
        var depth = 0
        repeat {
            switch bytes[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\"") where isName:
                copy(to: textEnd)
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                maskValue(treatment)
                continue
            default: break
            }
            copy(to: place + 1)
        } while depth > 0 && place < bytes.count
    }

    private var isName: Bool { bytes[textEnd...].first { !ASCII.isJSONSpace($0) } == UInt8(ascii: ":") }

    /// The index after the closing quote of the string that starts here.
    private var textEnd: Int { bytes.textEnd(from: place) }

    private mutating func copy(to end: Int) {
        out += bytes[place..<min(end, bytes.count)]
        place = min(end, bytes.count)
    }

    private mutating func skipBlanks() {
        copy(to: bytes[place...].firstIndex { !ASCII.isJSONSpace($0) } ?? bytes.count)
    }
}
