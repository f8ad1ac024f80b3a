import HTTPFoundation

/// Reads a document into a tree (XML 1.0, fifth edition), in time linear in its length.
///
/// It does not validate, and fetches nothing. What it cannot expand it refuses: no text is left out without a word.
// The system's parser compares each attribute with all others, leaves out entities, and says no reason.
struct DocumentParser {
    /// The deepest nesting allowed.
    static let depthLimit = 200
    /// The deepest nesting of entities in entities: each is compared with those around it.
    static let entityDepthLimit = 16
    /// The largest number of bytes that the entities of a document may add.
    static let expansionLimit = 1 << 20

    /// The document, or the text of an entity.
    struct Source {
        let bytes: [UInt8]
        var place = 0
        /// The entity; nil for the document.
        var entity: String?
        /// The number of elements that were open at its beginning.
        var depth = 0
    }

    var source: Source
    /// The sources around the current one.
    var outer: [Source] = []
    var open: [DocumentElement] = []
    var scopes = NamespaceScopes()
    var root: DocumentElement?
    var hasType = false
    var entities = DocumentEntities()

    static func root(of body: Data, charset: String?) throws(DocumentProblem) -> DocumentElement {
        var parser = DocumentParser(try DocumentText.utf8(of: body, charset: charset))
        return try parser.parse()
    }

    private init(_ bytes: [UInt8]) { source = Source(bytes: bytes) }

    mutating func parse() throws(DocumentProblem) -> DocumentElement {
        if starts(with: "<?xml"), isBlank(at: source.place + 5) { try skip(past: "?>", of: "the XML declaration") }
        while true {
            if source.place == source.bytes.count {
                if outer.isEmpty { break }
                try leaveEntity()
            } else if byte == UInt8(ascii: "<") {
                try markup()
            } else if open.isEmpty {
                try miscellaneous()
            } else if byte == UInt8(ascii: "&") {
                try reference()
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

    mutating func startTag() throws(DocumentProblem) {
        let start = source.place
        guard !open.isEmpty || root == nil else { throw problem("there is a second element at the top") }
        guard open.count < Self.depthLimit else {
            throw problem("more than \(Self.depthLimit) nested elements")
        }
        source.place += 1
        let name = try name("the name of an element")
        var attributes: [(name: String, value: String)] = []
        var known: Set<String> = []
        while true {
            let hasBlank = skipBlanks()
            guard let next = current else { throw problem("the tag of \(name) is not closed", at: start) }
            if next == UInt8(ascii: ">") || next == UInt8(ascii: "/") { break }
            guard hasBlank else { throw problem("white space is missing before an attribute of \(name)") }
            let place = source.place
            let attribute = try self.name("the name of an attribute")
            guard known.insert(attribute).inserted else {
                throw problem("the attribute \(attribute) of \(name) is given twice", at: place)
            }
            skipBlanks()
            try expect("=", "after the attribute \(attribute)")
            skipBlanks()
            attributes.append((attribute, try attributeValue(of: attribute)))
        }
        let isEmpty = current == UInt8(ascii: "/")
        if isEmpty { source.place += 1 }
        try expect(">", "at the end of the tag of \(name)")
        scopes.enter(attributes)
        var element = DocumentElement(name: scopes.name(name, isAttribute: false))
        element.attributes = attributes.lazy.filter { !NamespaceScopes.isDeclaration($0.name) }
            .map { DocumentAttribute(name: scopes.name($0.name, isAttribute: true), value: $0.value) }
        open.append(element)
        if isEmpty { close() }
    }

    mutating func endTag() throws(DocumentProblem) {
        let start = source.place
        source.place += 2
        let name = try name("the name of an element")
        skipBlanks()
        try expect(">", "at the end of the tag of \(name)")
        guard let element = open.last, open.count > source.depth else {
            throw problem("</\(name)> closes no element", at: start)
        }
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
        let start = source.place + 9
        try skip(past: "]]>", of: "a CDATA section")
        try append(start..<source.place - 3)
    }

    /// It ends with the first `--`: `<!-->` is a beginning.
    mutating func comment() throws(DocumentProblem) {
        let start = source.place + 4
        guard let dashes = find("--", from: start, to: source.bytes.count) else {
            throw problem("a comment has no end")
        }
        try check(start..<dashes)
        guard isThere("-->", at: dashes) else { throw problem("a comment contains --", at: dashes) }
        source.place = dashes + 3
    }

    mutating func instruction() throws(DocumentProblem) {
        let start = source.place
        source.place += 2
        let target = try name("the name of a processing instruction")
        guard ASCII.lowercased(target) != "xml" else {
            throw problem("an XML declaration that is not at the beginning", at: start)
        }
        try skip(past: "?>", of: "a processing instruction")
    }

    // MARK: Text

    mutating func characters() throws(DocumentProblem) {
        let start = source.place
        while let next = current, next != UInt8(ascii: "<"), next != UInt8(ascii: "&") { source.place += 1 }
        if let end = find("]]>", from: start, to: source.place) { throw problem("]]> in text", at: end) }
        try append(start..<source.place)
    }

    mutating func append(_ range: Range<Int>) throws(DocumentProblem) {
        try check(range)
        open[open.count - 1].text += String(decoding: source.bytes[range], as: UTF8.self)
    }

    /// White space, before and after the element at the top.
    mutating func miscellaneous() throws(DocumentProblem) {
        guard skipBlanks() else {
            throw problem(root == nil ? "not XML: it does not begin with <" : "text after the element at the top")
        }
    }

    mutating func reference() throws(DocumentProblem) {
        let start = source.place
        var end = start
        let reference = try reference(in: source.bytes, at: start, &end)
        source.place = end
        switch reference {
        case .character(let scalar): open[open.count - 1].text.unicodeScalars.append(scalar)
        case .entity(let name):
            let text = try replacement(of: name, within: (outer + [source]).compactMap(\.entity), at: start)
            guard text.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
                return open[open.count - 1].text += String(decoding: text, as: UTF8.self)
            }
            outer.append(source)
            source = Source(bytes: text, entity: name, depth: open.count)
        }
    }

    /// The reference at `start` of `bytes`; `place` is moved behind it.
    func reference(in bytes: [UInt8], at start: Int, _ place: inout Int) throws(DocumentProblem) -> DocumentReference {
        do { return try DocumentReference(in: bytes, at: &place) } catch { throw problem(error.reason, at: start) }
    }

    /// The text of the entity `name`, which is used at `place`, within the entities `names`.
    mutating func replacement(
        of name: String, within names: [String], at place: Int
    ) throws(DocumentProblem) -> [UInt8] {
        guard !names.contains(name) else { throw problem("the entity \(name) contains itself", at: place) }
        guard names.count < Self.entityDepthLimit else {
            throw problem("entities are nested more than \(Self.entityDepthLimit) deep", at: place)
        }
        do { return try entities.expand(name) } catch { throw problem(error.reason, at: place) }
    }

    mutating func leaveEntity() throws(DocumentProblem) {
        guard open.count == source.depth else {
            throw problem("an element that begins in the entity \(source.entity ?? "") does not end there")
        }
        if let last = outer.popLast() { source = last }
    }
}
