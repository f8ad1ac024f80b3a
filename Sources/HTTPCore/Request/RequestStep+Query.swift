extension RequestStep {
    /// Adds `name=value` to the query, percent-encoded; nil adds nothing.
    public static func query(_ name: String, _ value: String?) -> RequestStep {
        value.map { RequestStep(.addQuery(QueryItem(name, $0))) } ?? .none
    }

    /// Adds `name=value` for a number or truth value (`true`, `false`); nil adds nothing.
    public static func query(_ name: String, _ value: (some LosslessStringConvertible & Sendable)?) -> RequestStep {
        query(name, value.map(String.init))
    }

    /// Removes every query item of that name that an earlier step added.
    public static func removingQuery(_ name: String) -> RequestStep {
        RequestStep { draft in draft.query.removeAll { $0.name == name } }
    }
}
