/// One `name=value` of a query or a form, not yet encoded. Without a value only the name is sent.
public struct QueryItem: Sendable, Hashable {
    public let name: String
    public let value: String?

    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }

    /// The item as it stands in a URL: everything but the unreserved characters percent-encoded.
    var encoded: String {
        let name = PercentEncoding.queryComponent(name)
        guard let value else { return name }
        return name + "=" + PercentEncoding.queryComponent(value)
    }
}
