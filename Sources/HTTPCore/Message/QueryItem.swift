/// One `name=value` of a query or a form, not yet encoded. Without a value only the name is sent.
public struct QueryItem: Sendable, Hashable {
    public let name: String
    public let value: String?

    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }

    /// Adds the item as it stands in a URL: everything but the unreserved characters percent-encoded.
    func appendEncoded(to text: inout String) {
        text += PercentEncoding.queryComponent(name)
        guard let value else { return }
        text += "="
        text += PercentEncoding.queryComponent(value)
    }
}
