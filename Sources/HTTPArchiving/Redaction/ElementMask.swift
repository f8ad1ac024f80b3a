/// Masks the text of secret elements, and the values of secret attributes, in XML, and what follows a secret `<key>`: the
/// value of a property list, whose own keys stay and whose numbers become 0.
///
/// Prefixes of names do not count. Tags, blank text and every byte that is not secret stay, so truncated text is masked,
/// too. Within a secret element all text is masked, at any depth, CDATA sections and comments included.
struct ElementMask {
    private let bytes: [UInt8]
    private let isSecret: (Substring) -> Bool
    private var place = 0
    private var out: [UInt8] = []
    /// The number of open elements from a secret one on; 0 outside of any.
    private var depth = 0
    /// The name of the last start tag.
    private var element: Substring = ""
    private var textStart = 0
    /// Whether a secret `<key>` has just ended.
    private var isValueNext = false
    /// Whether the open secret element is the value of a key.
    private var isValue = false

    static func apply(to text: String, _ treatment: @escaping (Substring) -> MemberMask.Treatment) -> String {
        var mask = ElementMask(bytes: Array(text.utf8)) { treatment($0) != .keep }
        mask.run()
        return String(decoding: mask.out, as: UTF8.self)
    }

    private init(bytes: [UInt8], isSecret: @escaping (Substring) -> Bool) {
        self.bytes = bytes
        self.isSecret = isSecret
        out.reserveCapacity(bytes.count)
    }

    private mutating func run() {
        while place < bytes.count {
            if bytes[place] != UInt8(ascii: "<") {
                takeText(to: bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count)
            } else if starts("<!--") {
                takeSection(from: 4, to: "-->")
            } else if starts("<![CDATA[") {
                takeSection(from: 9, to: "]]>")
            } else if starts("<?") {
                copy(to: end(of: "?>", from: place))
            } else {
                takeTag()
            }
        }
    }

    private mutating func takeText(to end: Int) {
        let isBlank = bytes[place..<end].allSatisfy(ASCII.isJSONSpace)
        guard depth > 0, !isBlank, !isValue || element != "key" else { return copy(to: end) }
        out += (isValue && ["integer", "real"].contains(element) ? "0" : ArchiveRedaction.mask).utf8
        place = end
    }

    private mutating func takeSection(from length: Int, to mark: String) {
        let end = end(of: mark, from: place + length)
        guard depth > 0 else { return copy(to: end) }
        copy(to: place + length)
        out += ArchiveRedaction.mask.utf8
        place = bytes[..<end].suffix(mark.utf8.count).elementsEqual(mark.utf8) ? end - mark.utf8.count : end
        copy(to: end)
    }

    private mutating func takeTag() {
        let start = place
        let isEnd = starts("</")
        copy(to: place + (isEnd ? 2 : 1))
        let name = takeName()
        while place < bytes.count, bytes[place] != UInt8(ascii: ">") { takeAttribute() }
        let isEmpty = out.last == UInt8(ascii: "/")
        copy(to: place + 1)
        if isEnd {
            depth = max(0, depth - 1)
            isValueNext =
                depth == 0 && name == "key" && isSecret(Substring(decoding: bytes[textStart..<start], as: UTF8.self))
        } else if !name.isEmpty, !name.hasPrefix("!") {
            if depth == 0 { isValue = isValueNext }
            if !isEmpty, depth > 0 || isValue || isSecret(name) { depth += 1 }
            (element, isValueNext) = (name, false)
        }
        textStart = place
    }

    /// A name with its value, or one byte between them.
    private mutating func takeAttribute() {
        let name = takeName()
        guard !name.isEmpty else { return copy(to: place + 1) }
        skipBlanks()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { return }
        copy(to: place + 1)
        skipBlanks()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") else {
            return
        }
        let quote = bytes[place]
        copy(to: place + 1)
        let end = bytes[place...].firstIndex(of: quote) ?? bytes.count
        if end > place, depth > 0 || isSecret(name), !name.hasPrefix("xmlns") {
            out += ArchiveRedaction.mask.utf8
            place = end
        }
        copy(to: end + 1)
    }

    /// The part of the name behind its prefix.
    private mutating func takeName() -> Substring {
        let end = bytes[place...].firstIndex { !Self.isName($0) } ?? bytes.count
        let name = Substring(decoding: bytes[place..<end], as: UTF8.self)
        copy(to: end)
        guard !name.hasPrefix("xmlns"), let colon = name.lastIndex(of: ":") else { return name }
        return name[name.index(after: colon)...]
    }

    private static func isName(_ byte: UInt8) -> Bool { byte > 0x20 && !"<>/=\"'".utf8.contains(byte) }

    private mutating func skipBlanks() {
        copy(to: bytes[place...].firstIndex { !ASCII.isJSONSpace($0) } ?? bytes.count)
    }

    private func starts(_ mark: String) -> Bool { bytes[place...].starts(with: mark.utf8) }

    /// The index after the next `mark`; that of the end if there is none.
    private func end(of mark: String, from start: Int) -> Int {
        (start..<bytes.count).first { bytes[$0...].starts(with: mark.utf8) }.map { $0 + mark.utf8.count } ?? bytes.count
    }

    private mutating func copy(to end: Int) {
        let end = min(end, bytes.count)
        guard end > place else { return }
        out += bytes[place..<end]
        place = end
    }
}
