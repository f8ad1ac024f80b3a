/// The text of a transfer's line.
enum ProgressLine {
    enum State { case running, finished, failed }

    /// The line, with as many parts as `width` columns hold, by importance: the name, the percentage, the time left,
    /// the rate, the bytes, a bar. The last column stays free, because some terminals would wrap there. With nil there
    /// is no limit and no bar.
    ///
    ///       ubuntu.iso  [=========>          ]  47%  12.3 MB of 26.1 MB  3.4 MB/s  4 s left
    ///     ✓ notes.pdf   100%  1.2 MB of 1.2 MB
    static func text(_ name: String, _ progress: TransferProgress?, _ state: State, width: Int?) -> String {
        let fields = fields(progress, state)
        func label(_ name: String) -> String { [mark(state), name].filter { !$0.isEmpty }.joined(separator: " ") }
        guard let width else { return joined([label(name)] + fields.all) }
        let room = max(width - 1, 0)
        // The name shrinks to seven columns first; then all fields but the first are dropped.
        let shortest = label(String(repeating: "n", count: min(columns(of: name), 7)))
        var chosen = Array(fields.important.prefix(1))
        for field in fields.important.dropFirst() where columns(of: joined([shortest] + chosen + [field])) <= room {
            chosen.append(field)
        }
        let shown = fields.all.filter(chosen.contains)
        let rest = columns(of: joined([shortest] + shown)) - min(columns(of: name), 7)
        var parts = [label(cut(name, to: min(room - rest, 40)))] + shown
        let left = room - columns(of: joined(parts)) - 4
        if state == .running, let fraction = progress?.fraction, left >= 10 {
            parts.insert("[\(bar(fraction, width: min(left, 40)))]", at: 1)
        }
        return cut(joined(parts), to: room)
    }

    private static func joined(_ parts: [String]) -> String {
        parts.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static func mark(_ state: State) -> String {
        switch state {
        case .running: ""
        case .finished: "✓"
        case .failed: "✗"
        }
    }

    /// In display order and in order of importance.
    private static func fields(_ progress: TransferProgress?, _ state: State) -> (all: [String], important: [String]) {
        guard let progress else {
            let words = state == .finished ? [] : ["nothing came"]
            return (words, words)
        }
        let percent = progress.fraction.map { padded("\(Int($0 * 100))%", to: 4) }
        let size = self.size(Double(progress.bytes)) + (progress.total.map { " of " + self.size(Double($0)) } ?? "")
        let rate = progress.bytesPerSecond.map { self.size($0) + "/s" }
        let left = state == .running ? progress.estimatedTimeLeft.map { time($0) + " left" } : nil
        return ([percent, size, rate, left].compactMap(\.self), [percent, left, rate, size].compactMap(\.self))
    }

    // MARK: Columns

    /// The number of terminal columns that the text needs, as far as it can be known.
    static func columns(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + columns(of: $1) } }

    /// By the East Asian Width of Unicode (UAX #11), in blocks.
    private static func columns(of scalar: Unicode.Scalar) -> Int {
        guard !scalar.isASCII else { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// The whole characters that fit into `room` columns, with an ellipsis if the text is cut.
    static func cut(_ text: String, to room: Int) -> String {
        guard columns(of: text) > room else { return text }
        guard room > 0 else { return "" }
        var result = ""
        var used = 1
        for character in text {
            used += columns(of: String(character))
            guard used <= room else { break }
            result.append(character)
        }
        return result + "…"
    }

    // MARK: Words

    /// `512 B`, `1.5 MB`: powers of 1000, at most three digits.
    static func size(_ bytes: Double) -> String {
        // Bounded to the range of an integer, whatever the rate.
        var value = bytes.isNaN ? 0 : min(max(bytes, 0), 1e24)
        var units = ["B", "kB", "MB", "GB", "TB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let isWhole = value >= 99.95 || units.first == "B"
        let tenths = Int((value * 10).rounded())
        let number = isWhole ? "\(Int(value.rounded()))" : "\(tenths / 10).\(tenths % 10)"
        return "\(number) \(units.first ?? "TB")"
    }

    /// `8 s`, `3 min 20 s`, `2 h 5 min`.
    static func time(_ duration: Duration) -> String {
        let seconds = max(duration.components.seconds, 0)
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }

    private static func bar(_ fraction: Double, width: Int) -> String {
        let done = Int(fraction * Double(width))
        guard done < width else { return String(repeating: "=", count: width) }
        return String(repeating: "=", count: done) + ">" + String(repeating: " ", count: width - done - 1)
    }

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
