#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Queries from values with more than one spelling, which `QueryStyle` chooses.
extension RequestStep {
    /// Adds a list, by default as `name=1&name=2`. Nil elements are left out; an empty list adds nothing.
    public static func query<Value: LosslessStringConvertible>(
        _ name: String, _ values: [Value?], style: QueryStyle = QueryStyle()
    ) -> RequestStep {
        adding(query: name) { () throws(ItemProblem) in
            var elements: [ItemNode] = []
            for case let value? in values { elements.append(ItemNode(scalar: try style.text(value))) }
            var naming = ItemNaming(style: style)
            try naming.add(ItemNode(list: elements), as: name)
            return naming.items
        }
    }

    /// Adds a Boolean in the style's spelling; nil adds nothing.
    public static func query(_ name: String, _ value: Bool?, style: QueryStyle) -> RequestStep {
        query(name, value.map(style.text))
    }

    /// Adds a date, by default as ISO 8601 in UTC, `2026-03-01T09:30:00Z`; nil adds nothing. A date before year 0 or
    /// after year 9999 fails the request.
    @_disfavoredOverload
    public static func query(_ name: String, _ date: Date?, style: QueryStyle = QueryStyle()) -> RequestStep {
        adding(query: name) { () throws(ItemProblem) in
            guard let date else { return [] }
            return [QueryItem(name, try style.text(date))]
        }
    }

    /// Adds an item for each property of `value`, or each key of a dictionary; `QueryStyle` says how and in which
    /// order. A value that cannot be encoded, or has no named parts, fails the request.
    ///
    ///     .query(Filter(state: "open", labels: ["bug", "urgent"]))    // state=open&labels=bug&labels=urgent
    @_disfavoredOverload
    public static func query(_ value: some Encodable, style: QueryStyle = QueryStyle()) -> RequestStep {
        adding("the query cannot be encoded") { try ItemNaming.items(encoding: value, style: style) }
    }

    /// The same for a literal of several types, items in order: `.query(["name": name, "age": age, "tags": tags])`.
    @_disfavoredOverload
    public static func query(_ literal: EncodableLiteral, style: QueryStyle = QueryStyle()) -> RequestStep {
        query(literal.asEncodable, style: style)
    }

    private static func adding(query name: String, _ items: () throws(ItemProblem) -> [QueryItem]) -> RequestStep {
        adding("the query \"\(ASCII.printable(name))\" cannot be encoded", items)
    }

    /// Encodes once and reuses the items, or the error.
    private static func adding(_ complaint: @autoclosure () -> String, _ items: () throws -> [QueryItem]) -> RequestStep
    {
        do {
            let items = try items()
            return RequestStep { $0.query += items }
        } catch {
            return .failing("\(complaint()): \(EncodingProblem(error))")
        }
    }
}
