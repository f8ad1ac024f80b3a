/// How much is logged of a call.
public enum LogLevel: Sendable, Hashable {
    /// One line: method, URL, status or error, time, bytes and attempts.
    case line
    /// And the header fields of request and response, values masked unless they are on the allow-list.
    case headers
    /// And the start of text bodies, up to so many bytes of each.
    case bodies(upTo: Int)
}
