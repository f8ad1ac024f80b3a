/// The text of a progress bar.
enum ProgressLine {
    /// The whole line, with a bar where the total is known and `width` columns leave room for one.
    ///
    ///     [=========>          ]  47%  12.3 MB of 26.1 MB  3.4 MB/s  4 s left
    static func text(_ progress: TransferProgress, width: Int) -> String {
        let words = words(progress)
        guard let fraction = progress.fraction else { return words }
        let barWidth = min(width - words.count - 4, 40)
        return barWidth >= 10 ? "[\(bar(fraction, width: barWidth))] \(words)" : words
    }

    static func words(_ progress: TransferProgress) -> String {
        var parts: [String] = []
        if let fraction = progress.fraction { parts.append(padded("\(Int(fraction * 100))%", to: 4)) }
        parts.append(size(Double(progress.bytes)) + (progress.total.map { " of " + size(Double($0)) } ?? ""))
        if let rate = progress.bytesPerSecond { parts.append(size(rate) + "/s") }
        if !progress.isFinished, let left = progress.estimatedTimeLeft { parts.append(time(left) + " left") }
        return parts.joined(separator: "  ")
    }

    /// `512 B`, `1.5 MB`: powers of 1000, three digits at most.
    static func size(_ bytes: Double) -> String {
        // Within what an integer holds, whatever rate somebody made up.
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
