/// The document type, of which only the declarations of entities count.
extension DocumentParser {
    mutating func documentType() throws(DocumentProblem) {
        guard root == nil, open.isEmpty, outer.isEmpty else {
            throw problem("a document type after the start of the first element")
        }
        guard !hasType else { throw problem("there is a second document type") }
        hasType = true
        try skipDeclaration("the document type", withSubset: true)
    }

    mutating func internalSubset() throws(DocumentProblem) {
        source.place += 1
        while let next = current, next != UInt8(ascii: "]") {
            if starts(with: "<!ENTITY") {
                try entityDeclaration()
            } else if starts(with: "<!--") {
                try comment()
            } else if starts(with: "<?") {
                try skip(past: "?>", of: "a processing instruction")
            } else if starts(with: "<!") {
                try skipDeclaration()
            } else if next == UInt8(ascii: "%") {
                throw problem("the document type refers to a parameter entity, which is not expanded")
            } else if !skipBlanks() {
                throw problem("the document type contains something else than declarations")
            }
        }
        try expect("]", "at the end of the document type")
    }

    /// `<!ENTITY name "text">`, or with an external identifier.
    mutating func entityDeclaration() throws(DocumentProblem) {
        source.place += 8
        skipBlanks()
        // It is refused where it is used.
        if current == UInt8(ascii: "%") { return try skipDeclaration() }
        let name = try name("the name of an entity")
        skipBlanks()
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            entities.declare(name, nil)
            return try skipDeclaration()
        }
        let start = source.place + 1
        try literal()
        let range = start..<source.place - 1
        try check(range)
        guard !source.bytes[range].contains(UInt8(ascii: "%")) else {
            throw problem("the entity \(name) refers to a parameter entity, which is not expanded", at: start)
        }
        // References to characters are expanded here, those to entities where it is used (XML 1.0 §4.5).
        var text: [UInt8] = []
        var place = start
        while place < range.upperBound {
            let before = place
            if source.bytes[place] == UInt8(ascii: "&"),
                place + 1 < range.upperBound, source.bytes[place + 1] == UInt8(ascii: "#"),
                case .character(let scalar) = try reference(in: source.bytes, at: before, &place)
            {
                text += Array(String(scalar).utf8)
            } else {
                text.append(source.bytes[before])
                place = before + 1
            }
        }
        entities.declare(name, text)
        skipBlanks()
        try expect(">", "at the end of the declaration of \(name)")
    }

    mutating func skipDeclaration(
        _ what: String = "a declaration", withSubset hasSubset: Bool = false
    ) throws(DocumentProblem) {
        let start = source.place
        while let next = current {
            switch next {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): try literal()
            case UInt8(ascii: "[") where hasSubset: try internalSubset()
            case UInt8(ascii: ">"): return source.place += 1
            default: source.place += 1
            }
        }
        throw problem("\(what) has no end", at: start)
    }

    mutating func literal() throws(DocumentProblem) {
        guard let quote = current, let end = source.bytes[(source.place + 1)...].firstIndex(of: quote) else {
            throw problem("a quoted text has no end")
        }
        source.place = end + 1
    }
}
