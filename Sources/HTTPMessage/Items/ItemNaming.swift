/// Names the parts of a value: the step from a node to `name=value` items.
package struct ItemNaming {
    let style: QueryStyle
    private(set) var items: [QueryItem] = []

    init(style: QueryStyle) { self.style = style }

    /// The items of a value with named parts: an object, a dictionary.
    package static func items(encoding value: some Encodable, style: QueryStyle) throws -> [QueryItem] {
        var naming = ItemNaming(style: style)
        for member in try node(encoding: value, style: style).members { try naming.add(member.node, as: member.name) }
        return naming.items
    }

    /// The same, with the items of each part by themselves. Those of a literal are sorted, as those of a dictionary.
    package static func members(
        encoding value: some Encodable, style: QueryStyle
    ) throws -> [(name: String, items: [QueryItem])] {
        let node = try node(encoding: value, style: style)
        if value is EncodableLiteral { node.sortsNames = true }
        return try node.members.map { member in
            var naming = ItemNaming(style: style)
            try naming.add(member.node, as: member.name)
            return (member.name, naming.items)
        }
    }

    private static func node(encoding value: some Encodable, style: QueryStyle) throws -> ItemNode {
        let node = ItemNode()
        try ItemEncoder(node: node, style: style).encode(value)
        switch node.kind {
        case .object, .nothing: return node
        case .scalar, .list:
            let type = value is EncodableLiteral ? "a list" : "\(type(of: value))"
            throw ItemProblem("\(type) has no names for its values")
        }
    }

    private mutating func add(_ node: ItemNode, as name: String) throws(ItemProblem) {
        switch node.kind {
        case .nothing: break
        case .scalar: items.append(QueryItem(name, node.text))
        case .list: try addList(node.children.filter { $0.kind != .nothing }, as: name)
        case .object:
            for member in node.members {
                try add(member.node, as: style.objects == .dots ? "\(name).\(member.name)" : "\(name)[\(member.name)]")
            }
        }
    }

    private mutating func addList(_ elements: [ItemNode], as name: String) throws(ItemProblem) {
        if style.arrays == .indexed {
            for (index, element) in elements.enumerated() { try add(element, as: "\(name)[\(index)]") }
            return
        }
        guard elements.allSatisfy({ $0.kind == .scalar }) else {
            throw ItemProblem(
                "the list \"\(name)\" holds lists or objects, which only QueryStyle.Arrays.indexed can write")
        }
        switch style.arrays {
        case .brackets: items += elements.map { QueryItem(name + "[]", $0.text) }
        case .commas: try addCommaList(elements.map(\.text), as: name)
        case .repeated, .indexed: items += elements.map { QueryItem(name, $0.text) }
        }
    }

    private mutating func addCommaList(_ elements: [String], as name: String) throws(ItemProblem) {
        guard !elements.isEmpty else { return }
        guard !elements.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) }) else {
            throw ItemProblem("an element of the list \"\(name)\" contains a comma, which is what separates them here")
        }
        items.append(QueryItem(name, list: elements))
    }
}
