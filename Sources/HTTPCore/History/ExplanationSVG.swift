extension CallHistory {
    /// The waterfall as a drawing 800 units wide.
    func svg(of title: String, outcome: String = "") -> String {
        let rows = rows
        let height = 96 + 22 * rows.count
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 \#(height)" width="800" height="\#(height)" "#
                + #"font-family="ui-monospace, monospace" font-size="12" role="img">"#,
            "<title>\(Self.escaped(headline(title, outcome, width: 110)))</title>",
            #"<rect width="800" height="\#(height)" fill="white"/>"#,
            Self.text(headline(title, outcome, width: 110), x: 10, y: 22),
        ]
        for (index, row) in rows.enumerated() { lines += drawn(row, y: 40 + 22 * index) }
        for (index, line) in Self.wrapped(summary, to: 108).prefix(3).enumerated() {
            lines.append(Self.text(line, x: 10, y: 58 + 22 * rows.count + 15 * index))
        }
        return (lines + ["</svg>"]).joined(separator: "\n")
    }

    private func drawn(_ row: WaterfallRow, y: Int) -> [String] {
        let (left, room) = (130, 570)
        let x = left + Int(row.segment.start / total * Double(room))
        let width = max(1, Int(row.segment.duration / total * Double(room)))
        return [
            Self.text(row.label, x: 10, y: y + 13),
            #"<rect x="\#(x)" y="\#(y + 2)" width="\#(width)" height="14" rx="2" fill="\#(row.segment.kind.color)"/>"#,
            Self.text(row.time, x: 790, y: y + 13, anchor: "end"),
        ]
    }

    private static func text(_ text: String, x: Int, y: Int, anchor: String = "start") -> String {
        #"<text x="\#(x)" y="\#(y)" text-anchor="\#(anchor)" fill="black">\#(escaped(text))</text>"#
    }

    private static func escaped(_ text: String) -> String {
        ASCII.printable(text).reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }

    private static func wrapped(_ text: String, to width: Int) -> [String] {
        text.split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}

extension CallSegment.Kind {
    /// Waits, the connection, the exchange and this process each have a color.
    fileprivate var color: String {
        switch self {
        case .dispatcher, .hostLimit, .rateLimit, .retry, .token, .collapsed, .cache, .work: "#d97706"
        case .resolve, .connect, .tunnel, .secure, .prepare: "#7c3aed"
        case .send, .server: "#2563eb"
        case .receive: "#059669"
        case .setUp, .contentDecoding, .finish, .handover, .decode, .other: "#6b7280"
        }
    }
}
