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

    /// Adds `name=value` for a number, written with a decimal point; nil adds nothing. A number that is not finite
    /// fails the request.
    public static func query(
        _ name: String, _ value: (some BinaryFloatingPoint & LosslessStringConvertible & Sendable)?
    ) -> RequestStep {
        guard let value, !value.isFinite else { return query(name, value.map(String.init)) }
        return .failing("the query \"\(ASCII.printable(name))\" is \(value), which is no number")
    }

    /// Adds the items in order, percent-encoded. An item whose value is nil is left out.
    public static func query(_ items: KeyValuePairs<String, String?>) -> RequestStep {
        let items = items.compactMap { name, value in value.map { QueryItem(name, $0) } }
        return RequestStep { $0.query += items }
    }

    /// Removes every query item of that name added by an earlier step.
    public static func removingQuery(_ name: String) -> RequestStep {
        RequestStep { draft in draft.query.removeAll { $0.name == name } }
    }

    /// Removes every query item added by an earlier step. The query of the URL itself stays.
    public static let removingQueries = RequestStep { $0.query.removeAll() }
}
