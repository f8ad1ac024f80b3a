/// How a stream of server-sent events is read.
public struct EventStreamOptions: Sendable, Hashable {
    /// The maximum number of connections; nil, the default, for no limit, 1 for no reconnection.
    public var connectionLimit: Int?
    /// The maximum number of consecutive connections that break or end within a minute without an event; 5 by default.
    /// Then the stream fails. The delays between them double, up to a minute.
    public var failureLimit: Int
    /// The maximum length of a line, and of the data of one event, in bytes; 1 MiB by default.
    public var limit: Int
    /// The minimum delay before a reconnection, even if the stream sets a shorter one; half a second by default, as in
    /// Firefox. After a connection that failed or brought no event it is never shorter than that.
    public var minimumDelay: Duration
    /// The media types that are read as events; `text/event-stream` by default.
    public var accepting: Set<String>

    /// Options with these values.
    public init(
        connectionLimit: Int? = nil, failureLimit: Int = 5, limit: Int = 1 << 20,
        minimumDelay: Duration = .milliseconds(500), accepting: Set<String> = ["text/event-stream"]
    ) {
        self.connectionLimit = connectionLimit
        self.failureLimit = failureLimit
        self.limit = limit
        self.minimumDelay = minimumDelay
        self.accepting = accepting
    }
}
