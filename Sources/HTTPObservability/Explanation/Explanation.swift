import HTTPSupport

extension Response {
    /// Where the time went: the call in one line, its connection, a waterfall with a line for each segment, and a
    /// sentence that names the longest part and the setting that helps. Only the last line may exceed 80 columns.
    ///
    ///     GET https://api.example.com/orders → 200 in 1.24 s, 2 attempts
    ///     api.example.com at 192.0.2.7, new connection #3, TLSv1.3
    ///       1 server        █████                                                  120 ms
    ///       …
    ///
    /// Secrets are masked, and unprintable characters of foreign text are escaped.
    public var explanation: String { history.explanation(of: "\(request)", outcome: " → \(status)") }
}

extension HTTPError {
    /// The error's text, followed by the same lines as `Response.explanation`; only the text if the error has no call.
    public var explanation: String {
        guard let history else { return description }
        return description + "\n" + history.explanation(of: title)
    }

    private var title: String {
        if let response { return "\(response.request) → \(response.status)" }
        return record.map { ASCII.printable($0.url.isEmpty ? $0.authority : "\($0.method) \($0.url)") } ?? ""
    }
}

extension CallHistory {
    package func explanation(of title: String, outcome: String = "") -> String {
        var lines = [headline(title, outcome)]
        if let connection = connectionLine { lines.append(connection) }
        if let cacheStatusField { lines.append("Cache-Status: \(cacheStatusField)".cut(to: 80)) }
        lines += redirected.prefix(10).compactMap { attempt in attempt.redirect?.line(attempt.outcome) }
        lines += waterfall().map { "  " + $0 }
        lines.append(summary)
        return lines.joined(separator: "\n")
    }

    /// `GET https://api.example.com/orders → 200 in 1.24 s, 2 attempts`
    private func headline(_ title: String, _ outcome: String) -> String {
        let end = outcome + " in \(total.rounded.text)" + (attemptCount > 1 ? ", \(attemptCount) attempts" : "")
        return ASCII.printable(title).cut(to: 80 - end.count) + end
    }

    /// `api.example.com at 192.0.2.7, kept connection #3, TLSv1.3, h2`
    private var connectionLine: String? {
        guard let last = attempts.last, let address = last.remoteAddress else { return nil }
        var parts = ["\(ASCII.printable(last.authority)) at \(ASCII.printable(address))"]
        let number = last.connection.map { " #\($0.id)" } ?? ""
        parts.append((last.isConnectionReused ? "kept connection" : "new connection") + number)
        if let proxy = last.connection?.proxy { parts.append("proxy \(ASCII.printable(proxy))") }
        if let tls = last.connection?.tls { parts += [tls.version] + [tls.applicationProtocol].compactMap(\.self) }
        return parts.joined(separator: ", ").cut(to: 80)
    }

    /// A line for each segment, with a bar at its place in the total. All lines have the same width in columns.
    package func waterfall() -> [String] {
        let (labels, room, times) = (16, 52, 10)
        // One that takes less than a thousandth of the total cannot be seen.
        return segments.filter { $0.duration * 1000 >= total }.map { segment in
            let number = segment.attempt.flatMap { attempts.count < 2 ? nil : "\($0) " } ?? ""
            let (label, time) = (number + segment.activity.texts().label, segment.duration.rounded.text)
            let (start, end) = (segment.start / total, (segment.start + segment.duration) / total)
            let first = min(Int(start * Double(room)), room - 1)
            let length = max(1, min(Int((end * Double(room)).rounded()), room) - first)
            return label.cut(to: labels - 1).padded(to: labels) + String(repeating: " ", count: first)
                + String(repeating: "█", count: length) + String(repeating: " ", count: room - first - length)
                + String(repeating: " ", count: max(0, times - time.count)) + time
        }
    }
}

extension CallAttempt.Redirect {
    /// `302 to GET https://other.example/, without Authorization`
    fileprivate func line(_ outcome: CallAttempt.Outcome) -> String {
        var line = "to \(method) \(ASCII.printable(location))"
        if case .answered(let status) = outcome { line = "\(status) " + line }
        if !withheldHeaders.isEmpty { line += ", without " + withheldHeaders.joined(separator: ", ") }
        return line.cut(to: 80)
    }
}

extension String {
    /// Cut with `…` if it is too long.
    func cut(to width: Int) -> String { count <= width ? self : String(prefix(max(0, width - 1))) + "…" }

    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
