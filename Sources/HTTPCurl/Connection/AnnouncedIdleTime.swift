import HTTPSupport

/// How long a server keeps an idle connection of HTTP/1, if it says so: `Keep-Alive: timeout=5`, as Node and Apache do.
///
/// After that it closes the connection, perhaps while the next request is on its way: nobody knows then whether it was
/// processed, and a POST fails. So the connection is left a second earlier.
struct AnnouncedIdleTime {
    private let time: TimeSpan
    private var end: TimePoint

    /// The connection, on which `field` has come, is idle from now on.
    init?(_ field: String) {
        guard let seconds = Self.seconds(field) else { return nil }
        time = seconds > 1 ? .seconds(seconds - 1) : .microseconds(500_000)
        end = TimePoint.now.advanced(by: time)
    }

    /// It is idle again.
    mutating func restart() { end = TimePoint.now.advanced(by: time) }

    /// Whether the next request needs another connection.
    var isOver: Bool { TimePoint.now >= end }

    /// Nil for none, and for more than an hour, which changes nothing.
    static func seconds(_ field: String) -> Int64? {
        let words = field.split(separator: ",").map { ASCII.lowercased(ASCII.trimmed($0)) }
        let time = words.first { $0.hasPrefix("timeout=") }.flatMap { Int64($0.dropFirst("timeout=".utf8.count)) }
        return time.flatMap { (1...3600).contains($0) ? $0 : nil }
    }
}
