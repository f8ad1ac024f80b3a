public import HTTPFoundation

/// One event of a `text/event-stream` (WHATWG HTML §9.2, server-sent events).
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type: `message` unless the stream names one.
    public let type: String
    /// The lines of its data, joined by line feeds.
    public let data: String
    /// The last id of the stream, set by this event, an earlier one, or the `Last-Event-ID` of the request; empty if there
    /// is none. A reconnection sends it as `Last-Event-ID`.
    public let id: String

    /// An event, for tests. `data` is the text of its `data:` lines, joined by line feeds.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }

    /// The data decoded from JSON. The error says what is wrong with it, and where.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder
    ) throws(DecodingError) -> Value {
        try decoder.value(type, from: Data(data.utf8))
    }
}
