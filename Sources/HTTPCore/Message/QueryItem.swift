/// One `name=value` of a query or a form, not yet encoded. Without a value only the name is sent.
public struct QueryItem: Sendable, Hashable {
    public let name: String
    public let value: String?

    /// Whether the commas of `value` stand between elements and stay bare in a URL (RFC 6570 §3.2.8).
    private let isList: Bool

    public init(_ name: String, _ value: String?) { self.init(name, value, isList: false) }

    /// Elements, none of which contains a comma, in one item.
    init(_ name: String, list elements: [String]) {
        self.init(name, elements.joined(separator: ","), isList: elements.count > 1)
    }

    private init(_ name: String, _ value: String?, isList: Bool) {
        self.name = name
        self.value = value
        self.isList = isList
    }

    /// Adds the item as it stands in a URL: everything but the unreserved characters percent-encoded.
    func appendEncoded(to text: inout String) {
        text += PercentEncoding.queryComponent(name)
        guard let value else { return }
        text += "="
        text += isList ? PercentEncoding.queryList(value) : PercentEncoding.queryComponent(value)
    }
}
