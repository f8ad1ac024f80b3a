extension RequestStep {
    /// Adds `name=value` to the query, percent-encoded; nil adds nothing.
    public static func query(_ name: String, _ value: String?) -> RequestStep {
        value.map { RequestStep(.addQuery(QueryItem(name, $0))) } ?? .none
    }

    /// Adds `name=value` for a number or Boolean (`true`, `false`); nil adds nothing.
    // Inlinable, so that the type of the value is known.
    @inlinable
    public static func query(_ name: String, _ value: (some LosslessStringConvertible & Sendable)?) -> RequestStep {
        query(name, value.map { String($0) })
    }

    /// Adds `name=value` for a number as Swift prints it (0.5, 1e-05); nil adds nothing. A number that is not finite
    /// fails the request.
    public static func query(
        _ name: String, _ value: (some BinaryFloatingPoint & LosslessStringConvertible & Sendable)?
    ) -> RequestStep {
        guard let value, !value.isFinite else { return query(name, value.map(String.init)) }
        return .failing("the query \"\(ASCII.printable(name))\" is \(value): a number has to be finite")
    }

    /// Adds the items in order, percent-encoded. An item whose value is nil is left out.
    public static func query(_ items: KeyValuePairs<String, String?>) -> RequestStep {
        let items = items.compactMap { name, value in value.map { QueryItem(name, $0) } }
        return RequestStep { $0.query += items }
    }

    /// The same for a list that is known only at run time. A name may occur more than once.
    @_disfavoredOverload
    public static func query(_ pairs: some Sequence<(String, String)>) -> RequestStep {
        let items = pairs.map { QueryItem($0, $1) }
        return RequestStep { $0.query += items }
    }

    /// Removes every query item of that name added by an earlier step.
    public static func removingQuery(_ name: String) -> RequestStep {
        RequestStep { draft in draft.query.removeAll { $0.name.utf8.elementsEqual(name.utf8) } }
    }
}

/// Queries from values with more than one spelling, which `QueryStyle` chooses.
extension RequestStep {
    /// Adds any `Encodable` value: an enum by its raw value, a UUID, a date, by default as ISO 8601 in UTC,
    /// `2026-03-01T09:30:00Z`, a list, by default as `name=1&name=2`, or an object. Nil adds nothing. A date before year 0 or
    /// after year 9999 fails the request.
    @_disfavoredOverload
    public static func query(
        _ name: String, _ value: EncodableLiteral.Value, style: QueryStyle = QueryStyle()
    ) -> RequestStep {
        adding("the query \"\(ASCII.printable(name))\" cannot be encoded") {
            try ItemNaming.items(encoding: EncodableLiteral(name: name, value: value), style: style)
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
