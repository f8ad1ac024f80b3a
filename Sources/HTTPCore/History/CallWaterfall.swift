extension Response {
    /// What took how long, as a person on call would like to read it: a line for each part of the call with a bar, and one
    /// sentence that says what took most of it, and what helps. At most 80 columns but for the sentence.
    ///
    ///     GET https://api.example.com/orders → 200 in 1.24 s, 2 attempts
    ///     api.example.com:443 at 192.0.2.7, a new connection, TLSv1.3
    ///       server                     ████                                   120 ms
    ///       …
    public var explanation: String { history.explanation(of: "\(request) → \(status)") }
}

extension HTTPError {
    /// The same for a call that failed, behind the error's own text; nothing but that for an error of no call.
    public var explanation: String {
        guard let history else { return "\(self)" }
        return "\(self)\n" + history.explanation(of: "\(record?.method.rawValue ?? "") \(record?.url ?? "")")
    }
}

extension CallHistory {
    func explanation(of title: String) -> String {
        ([headline(title)] + connectionLines + waterfall().map { "  " + $0 } + [sentence]).joined(separator: "\n")
    }

    private func headline(_ title: String) -> String {
        "\(title.trimmingSpaces) in \(total.rounded.text)" + (attemptCount > 1 ? ", \(attemptCount) attempts" : "")
    }

    /// `api.example.com:443 at 192.0.2.7, connection 3, kept, TLSv1.3`
    private var connectionLines: [String] {
        guard let last = attempts.last, let address = last.remoteAddress else { return [] }
        var parts = ["\(ASCII.printable(last.authority)) at \(address)"]
        parts.append(last.isConnectionReused ? "a kept connection" : "a new connection")
        if let tls = last.connection?.tls { parts += [tls.version, tls.cipher] }
        return [parts.joined(separator: ", ")]
    }

    /// A line for each part, in order, with a bar where it lies in the whole; neighbors of one name are one.
    ///
    /// - Parameter width: Columns, 40 at least.
    public func waterfall(width: Int = 78) -> [String] {
        let room = max(width, 40) - Self.labelWidth - Self.timeWidth
        return rows.map { row in
            let bar = Bar(from: row.start / total, to: (row.start + row.duration) / total, width: room)
            return row.label.padded(to: Self.labelWidth) + bar.text
                + String(repeating: " ", count: max(0, Self.timeWidth - row.time.count)) + row.time
        }
    }

    private static let labelWidth = 16
    private static let timeWidth = 10

    private struct Row {
        let label: String
        let start: Duration
        let duration: Duration

        var time: String { duration.rounded.text }
    }

    private var rows: [Row] {
        guard total > .zero else { return [] }
        let isOne = attempts.count < 2
        // What takes less than a thousandth would only be in the way.
        return parts.filter { $0.duration * 1000 >= total }.map { part in
            let number = part.attempt.flatMap { isOne ? nil : "\($0 + 1) " } ?? ""
            return Row(label: number + part.kind.label, start: part.start, duration: part.duration)
        }
    }

    private struct Bar {
        let text: String

        init(from start: Double, to end: Double, width: Int) {
            let first = min(Int(start * Double(width)), width - 1)
            let length = max(1, min(Int((end * Double(width)).rounded()), width) - first)
            text =
                String(repeating: " ", count: first) + String(repeating: "█", count: length)
                + String(repeating: " ", count: width - first - length)
        }
    }
}

extension CallPart.Kind {
    /// One word for a line.
    var label: String {
        switch self {
        case .rateLimit: "rate limit"
        case .backoff: "back-off"
        case .token: "token"
        case .resolve: "resolve"
        case .connect: "connect"
        case .secure: "TLS"
        case .prepare: "get ready"
        case .send: "send"
        case .server: "server"
        case .receive: "receive"
        case .rest: "elsewhere"
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        let text = count > width - 1 ? String(prefix(width - 2)) + "… " : self
        return text + String(repeating: " ", count: max(0, width - text.count))
    }

    fileprivate var trimmingSpaces: String { String(ASCII.trimmed(self[...])) }
}
