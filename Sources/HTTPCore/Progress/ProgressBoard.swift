/// The lines of several transfers, and the text to write after a change. It does not write itself.
struct ProgressBoard {
    /// The minimum time between two drawings, unless a transfer begins or ends.
    private static let pause = Duration.milliseconds(50)
    /// The time between two plain lines of a transfer.
    private static let lineInterval = Duration.seconds(10)

    private struct Row {
        let id: Int
        let name: String
        var progress: TransferProgress?
        var state = ProgressLine.State.running
        /// The time of its last plain line.
        var lastLine: ContinuousClock.Instant?
    }

    private var rows: [Row] = []
    private var count = 0
    /// The columns of each redrawn line, below those that stay.
    private var drawn: [Int] = []
    private var lastDrawing: ContinuousClock.Instant?
    /// Whether a transfer begins or ends, which is drawn at once.
    private var isUrgent = false

    /// Adds a transfer and returns its number.
    mutating func add(_ name: String) -> Int {
        count += 1
        rows.append(Row(id: count, name: ASCII.printable(name)))
        return count
    }

    /// Whether there is anything to draw.
    mutating func show(_ progress: TransferProgress, of id: Int, at now: ContinuousClock.Instant) -> Bool {
        guard let index = rows.firstIndex(where: { $0.id == id }) else { return false }
        if rows[index].progress == nil || progress.isFinished { isUrgent = true }
        rows[index].progress = progress
        if progress.isFinished { rows[index].state = .finished }
        return isUrgent || lastDrawing.map { now - $0 >= Self.pause } ?? true
    }

    mutating func finish(_ id: Int) -> Bool { end(id, as: .finished) }

    mutating func fail(_ id: Int) -> Bool { end(id, as: .failed) }

    /// Ends a row. Returns whether there is anything to draw: not if it has already ended.
    private mutating func end(_ id: Int, as state: ProgressLine.State) -> Bool {
        guard let index = rows.firstIndex(where: { $0.id == id }) else { return false }
        rows[index].state = state
        isUrgent = true
        return true
    }

    /// The text that updates the terminal, or with nil the plain lines.
    mutating func draw(on size: (columns: Int, rows: Int)?, at now: ContinuousClock.Instant) -> String {
        defer {
            rows.removeAll { $0.state != .running }
            lastDrawing = now
            isUrgent = false
        }
        guard let size else { return lines(at: now) }
        return drawing(columns: max(size.columns, 1), height: max(size.rows, 2))
    }

    private mutating func drawing(columns: Int, height: Int) -> String {
        // If the terminal was made narrower, earlier lines take more than one row.
        let above = drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
        var text = above > 0 ? "\r\u{1B}[\(above)A\u{1B}[J" : ""
        func add(_ row: Row) -> Int {
            let line = ProgressLine.text(row.name, row.progress, row.state, width: columns)
            text += line + "\n"
            return ProgressLine.columns(of: line)
        }
        for row in rows where row.state != .running { _ = add(row) }
        let running = rows.filter { $0.state == .running && $0.progress != nil }
        // A line that has scrolled away cannot be redrawn.
        let shown = running.count < height ? running.count : height - 2
        drawn = running.prefix(shown).map(add)
        if running.count > shown {
            let note = String("… and \(running.count - shown) more".prefix(columns - 1))
            text += note + "\n"
            drawn.append(note.count)
        }
        return text
    }

    private mutating func lines(at now: ContinuousClock.Instant) -> String {
        var text = ""
        for index in rows.indices {
            let row = rows[index]
            let isDue = row.state != .running || row.lastLine.map { now - $0 >= Self.lineInterval } ?? true
            guard isDue, row.progress != nil || row.state != .running else { continue }
            rows[index].lastLine = now
            text += ProgressLine.text(row.name, row.progress, row.state, width: nil) + "\n"
        }
        return text
    }
}
