import HTTPSupport

/// One `name=value` of a query or a form, not yet encoded.
public struct QueryItem: Sendable, Hashable {
    /// The name, not yet encoded.
    public let name: String
    /// The value, not yet encoded; nil sends the name alone, without `=`.
    public let value: String?

    /// Whether the commas in `value` separate elements and stay unencoded in a URL (RFC 6570 §3.2.8).
    private let isList: Bool

    /// An item. Name and value are percent-encoded when the request is built.
    public init(_ name: String, _ value: String?) { self.init(name, value, isList: false) }

    /// A list in one item. The elements contain no commas.
    init(_ name: String, list elements: [String]) {
        self.init(name, elements.joined(separator: ","), isList: elements.count > 1)
    }

    private init(_ name: String, _ value: String?, isList: Bool) {
        self.name = name
        self.value = value
        self.isList = isList
    }

    /// The maximum length of the encoded item, in bytes.
    package var longestEncoding: Int { 3 * (name.utf8.count + (value?.utf8.count ?? 0)) + 1 }

    /// Writes the encoded item: everything but the unreserved characters is percent-encoded.
    package func write(to writer: inout ByteWriter) {
        PercentEncoding.write(name, to: &writer)
        guard let value else { return }
        writer.append(UInt8(ascii: "="))
        if isList { writer.append(PercentEncoding.queryList(value)) } else { PercentEncoding.write(value, to: &writer) }
    }
}
