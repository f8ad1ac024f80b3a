import HTTPSupport

/// How long a server keeps an idle connection of HTTP/1, if it says so: `Keep-Alive: timeout=5`, as Node and Apache do.
///
/// After that it closes the connection, perhaps while the next request is on its way: nobody knows then whether it was
/// processed, and a POST fails. So the connection is left a second earlier.
struct AnnouncedIdleTime {
    private var time: TimeSpan?
    private var end: TimePoint?

    /// The field of a response; nil for none.
    mutating func note(_ field: String?) {
        guard let field, let seconds = Self.seconds(field) else { return }
        time = .seconds(max(1, seconds - 1))
    }

    /// The connection is idle from now on.
    mutating func begin() {
        if let time { end = TimePoint.now.advanced(by: time) }
    }

    /// Whether the next request needs another connection.
    var isOver: Bool { end.map { TimePoint.now >= $0 } ?? false }

    /// Nil for none, and for more than an hour, which changes nothing.
    static func seconds(_ field: String) -> Int64? {
        let words = field.split(separator: ",").map { ASCII.lowercased(ASCII.trimmed($0)) }
        let time = words.first { $0.hasPrefix("timeout=") }.flatMap { Int64($0.dropFirst("timeout=".utf8.count)) }
        return time.flatMap { (1...3600).contains($0) ? $0 : nil }
    }
}
