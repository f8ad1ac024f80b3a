import HTTPFoundation

/// Reads a document into a tree (XML 1.0, fifth edition), in time linear in its length.
///
/// It does not validate, and fetches nothing. What it cannot expand it refuses: no text is left out without a word.
// The system's parser compares each attribute with all others, leaves out entities, and says no reason.
struct DocumentParser {
    /// The deepest nesting allowed.
    static let depthLimit = 200

    let bytes: [UInt8]
    var place = 0
    var open: [DocumentElement] = []
    var scopes = NamespaceScopes()
    var root: DocumentElement?
    private var hasType = false

    static func root(of body: Data, charset: String?) throws(DocumentProblem) -> DocumentElement {
        var parser = DocumentParser(try DocumentText.utf8(of: body, charset: charset))
        return try parser.parse()
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func parse() throws(DocumentProblem) -> DocumentElement {
        if starts(with: "<?xml"), isBlank(at: place + 5) { try skip(past: "?>", of: "the XML declaration") }
        while let next = current {
            if next == UInt8(ascii: "<") {
                try markup()
            } else if open.isEmpty {
                try miscellaneous()
            } else if next == UInt8(ascii: "&") {
                open[open.count - 1].text.unicodeScalars.append(try reference())
            } else {
                try characters()
            }
        }
        if let element = open.last { throw problem("the element \(element.name.qualified) is not closed") }
        guard let root else { throw problem("the document has no element") }
        return root
    }

    // MARK: Markup

    mutating func markup() throws(DocumentProblem) {
        if starts(with: "</") { return try endTag() }
        if starts(with: "<!--") { return try comment() }
        if starts(with: "<![CDATA[") { return try characterData() }
        if starts(with: "<?") { return try instruction() }
        if starts(with: "<!DOCTYPE") { return try documentType() }
        try startTag()
    }

    /// It is skipped, and what it names is not fetched. Declarations are refused: so no entity can multiply, or be a file.
    mutating func documentType() throws(DocumentProblem) {
        guard root == nil, open.isEmpty else {
            throw problem("a document type after the start of the first element")
        }
        guard !hasType else { throw problem("there is a second document type") }
        hasType = true
        let start = place
        while let next = current {
            switch next {
            case UInt8(ascii: ">"): return place += 1
            case UInt8(ascii: "["):
                throw problem(
                    "the document type has declarations, which are not read: let the server leave them out, or read the "
                        + "body by another parser")
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                place += 1
                while let inner = current, inner != next { place += 1 }
                place += 1
            default: place += 1
            }
        }
        throw problem("the document type has no end", at: start)
    }

    mutating func startTag() throws(DocumentProblem) {
        let start = place
        guard !open.isEmpty || root == nil else { throw problem("there is a second element at the top") }
        guard open.count < Self.depthLimit else {
            throw problem("more than \(Self.depthLimit) nested elements")
        }
        place += 1
        let name = try name("the name of an element")
        var attributes: [(name: String, value: String)] = []
        var known: Set<String> = []
        while true {
            let hasBlank = skipBlanks()
            guard let next = current else { throw problem("the tag of \(name) is not closed", at: start) }
            if next == UInt8(ascii: ">") || next == UInt8(ascii: "/") { break }
            guard hasBlank else { throw problem("white space is missing before an attribute of \(name)") }
            let nameStart = place
            let attribute = try self.name("the name of an attribute")
            guard known.insert(attribute).inserted else {
                throw problem("the attribute \(attribute) of \(name) is given twice", at: nameStart)
            }
            skipBlanks()
            try expect("=", "after the attribute \(attribute)")
            skipBlanks()
            attributes.append((attribute, try attributeValue(of: attribute)))
        }
        let isEmpty = current == UInt8(ascii: "/")
        if isEmpty { place += 1 }
        try expect(">", "at the end of the tag of \(name)")
        scopes.enter(attributes)
        var element = DocumentElement(name: scopes.name(name, isAttribute: false))
        element.attributes = attributes.lazy.filter { !NamespaceScopes.isDeclaration($0.name) }
            .map { DocumentAttribute(name: scopes.name($0.name, isAttribute: true), value: $0.value) }
        open.append(element)
        if isEmpty { close() }
    }

    mutating func endTag() throws(DocumentProblem) {
        let start = place
        place += 2
        let name = try name("the name of an element")
        skipBlanks()
        try expect(">", "at the end of the tag of \(name)")
        guard let element = open.last else { throw problem("</\(name)> closes no element", at: start) }
        guard element.name.qualified == name else {
            throw problem("</\(name)> where </\(element.name.qualified)> was expected", at: start)
        }
        close()
    }

    mutating func close() {
        guard let element = open.popLast() else { return }
        scopes.leave()
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }

    mutating func characterData() throws(DocumentProblem) {
        guard !open.isEmpty else { throw problem("text outside of the element at the top") }
        let start = place + 9
        try skip(past: "]]>", of: "a CDATA section")
        try append(start..<place - 3)
    }

    /// It ends with the first `--`: `<!-->` is a beginning.
    mutating func comment() throws(DocumentProblem) {
        let start = place + 4
        guard let dashes = find("--", from: start, to: bytes.count) else {
            throw problem("a comment has no end")
        }
        try check(start..<dashes)
        guard isThere("-->", at: dashes) else { throw problem("a comment contains --", at: dashes) }
        place = dashes + 3
    }

    mutating func instruction() throws(DocumentProblem) {
        let start = place
        place += 2
        let target = try name("the name of a processing instruction")
        guard ASCII.lowercased(target) != "xml" else {
            throw problem("an XML declaration that is not at the beginning", at: start)
        }
        try skip(past: "?>", of: "a processing instruction")
    }

    // MARK: Text

    mutating func characters() throws(DocumentProblem) {
        let start = place
        while let next = current, next != UInt8(ascii: "<"), next != UInt8(ascii: "&") { place += 1 }
        if let end = find("]]>", from: start, to: place) { throw problem("]]> in text", at: end) }
        try append(start..<place)
    }

    mutating func append(_ range: Range<Int>) throws(DocumentProblem) {
        try check(range)
        open[open.count - 1].text += String(decoding: bytes[range], as: UTF8.self)
    }

    /// White space, before and after the element at the top.
    mutating func miscellaneous() throws(DocumentProblem) {
        guard skipBlanks() else {
            throw problem(root == nil ? "not XML: it does not begin with <" : "text after the element at the top")
        }
    }
}
