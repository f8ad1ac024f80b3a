/// An element of a document and its contents.
struct DocumentElement: Sendable {
    let name: DocumentName
    var attributes: [DocumentAttribute] = []
    var children: [DocumentElement] = []
    /// The text directly inside it.
    var text = ""

    private static let schemaInstance: Set<String> = ["http://www.w3.org/2001/XMLSchema-instance", "xsi"]

    /// Whether it is marked as having no value (`xsi:nil`, XML Schema Part 1 §2.6.2), or is empty.
    var isNil: Bool {
        let mark = attributes.first { $0.name.local == "nil" && Self.schemaInstance.contains($0.name.namespace) }
        if let mark {
            return mark.value == "true" || mark.value == "1"
        }
        return children.isEmpty && text.isEmpty && attributes.isEmpty
    }
}

/// An attribute. Declarations of namespaces are not among them.
struct DocumentAttribute: Sendable {
    let name: DocumentName
    let value: String
}

/// The name of an element or attribute.
struct DocumentName: Sendable, Hashable {
    /// As it is written in the document, with its prefix.
    let qualified: String
    /// Without the prefix.
    let local: String
    /// The name of its namespace; the prefix if none is declared, and empty without either.
    let namespace: String
}

/// What a key means in one element: the positions of the names that it stands for.
///
/// A key is a qualified name first, with the prefix of the document or one that the decoder was given. A key without a
/// prefix also stands for the names with a prefix that end in it, if all of them are in one namespace.
struct NameIndex {
    enum Match {
        case places([Int])
        /// In several namespaces: the qualified names.
        case ambiguous([String])
    }

    private var byQualified: [String: [Int]] = [:]
    private var byLocal: [String: (places: [Int], isOneNamespace: Bool)] = [:]
    private let names: [DocumentName]
    private let namespaces: [String: String]

    init(_ names: [DocumentName], namespaces: [String: String]) {
        self.names = names
        self.namespaces = namespaces
        for (place, name) in names.enumerated() {
            byQualified[name.qualified, default: []].append(place)
            var known = byLocal[name.local] ?? ([], true)
            byLocal[name.local] = nil
            if let first = known.places.first, names[first].namespace != name.namespace { known.isOneNamespace = false }
            known.places.append(place)
            byLocal[name.local] = known
        }
    }

    func match(_ key: String) -> Match {
        if let colon = key.firstIndex(of: ":"), let namespace = namespaces[String(key[..<colon])] {
            let local = String(key[key.index(after: colon)...])
            return .places((byLocal[local]?.places ?? []).filter { names[$0].namespace == namespace })
        }
        if let places = byQualified[key] { return .places(places) }
        guard let (places, isOneNamespace) = byLocal[key] else { return .places([]) }
        return isOneNamespace ? .places(places) : .ambiguous(Set(places.map { names[$0].qualified }).sorted())
    }

    /// A key for each name, in order of appearance: without the prefix where that is enough.
    var keys: [String] {
        var known: Set<String> = []
        return names.compactMap { name in
            let isClear = byLocal[name.local]?.isOneNamespace == true && byQualified[name.local] == nil
            let key = isClear ? name.local : name.qualified
            return known.insert(key).inserted ? key : nil
        }
    }
}
