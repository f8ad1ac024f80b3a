/// The parts of an encoded value, not yet named. It lives only during the encoding.
final class ItemNode {
    enum Kind { case nothing, scalar, list, object }

    var kind: Kind
    /// The text of a scalar.
    private(set) var text: String
    /// The children of a list or an object.
    private(set) var children: [ItemNode]
    /// The names of an object's children.
    private(set) var names: [String] = []
    /// Set for a dictionary, whose order has no meaning.
    var sortsNames = false

    init() { (kind, text, children) = (.nothing, "", []) }
    init(scalar text: String) { (kind, self.text, children) = (.scalar, text, []) }
    init(list elements: [ItemNode]) { (kind, text, children) = (.list, "", elements) }

    func setScalar(_ text: String) { (kind, self.text) = (.scalar, text) }

    func addElement() -> ItemNode {
        let element = ItemNode()
        children.append(element)
        return element
    }

    func addMember(_ name: String) -> ItemNode {
        names.append(name)
        return addElement()
    }

    /// An object's members in the order they are written.
    var members: [(name: String, node: ItemNode)] {
        let members = zip(names, children).map { (name: $0, node: $1) }
        guard sortsNames else { return members }
        return members.sorted { $0.name.unicodeScalars.lexicographicallyPrecedes($1.name.unicodeScalars) }
    }
}
