/// The namespaces that are declared around the current element (Namespaces in XML 1.0).
struct NamespaceScopes {
    /// The declarations of each prefix, the innermost last. The empty prefix is the default namespace.
    private var declared: [String: [String]] = ["xml": ["http://www.w3.org/XML/1998/namespace"]]
    /// The prefixes that each open element has declared.
    private var prefixes: [[String]] = []

    static func isDeclaration(_ attribute: String) -> Bool { attribute == "xmlns" || attribute.hasPrefix("xmlns:") }

    mutating func enter(_ attributes: [(name: String, value: String)]) {
        var own: [String] = []
        for attribute in attributes where Self.isDeclaration(attribute.name) {
            let prefix = String(attribute.name.dropFirst(6))
            declared[prefix, default: []].append(attribute.value)
            own.append(prefix)
        }
        prefixes.append(own)
    }

    mutating func leave() {
        for prefix in prefixes.popLast() ?? [] { _ = declared[prefix]?.popLast() }
    }

    /// An attribute without a prefix is in no namespace.
    func name(_ qualified: String, isAttribute: Bool) -> DocumentName {
        let colon = qualified.firstIndex(of: ":")
        let prefix = colon.map { String(qualified[..<$0]) } ?? ""
        let local = colon.map { String(qualified[qualified.index(after: $0)...]) } ?? qualified
        let namespace = prefix.isEmpty && isAttribute ? nil : declared[prefix]?.last
        return DocumentName(qualified: qualified, local: local, namespace: namespace ?? prefix)
    }
}
