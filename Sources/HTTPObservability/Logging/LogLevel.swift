/// How much of a call is logged.
public enum LogLevel: Sendable, Hashable {
    /// One line: method, URL, status or error, time, bytes and attempts.
    case line
    /// The line and the header fields of request and response, with values masked unless they are on the allow-list.
    case headers
    /// The line, the header fields, and the start of text bodies, up to that many bytes of each.
    case bodies(upTo: Int)
}
