// Progress bars: the lines of several transfers, made of the progress that every upload and download reports to a closure.
//
// Run it with `swift run ProgressBars`. It talks to a small server of its own on this machine. To use it in an app, take
// the four types.
import Foundation
import HTTPMockServer
import Straightline
import Synchronization

#if !SNIPPET_TESTS
@main
#endif
enum BarsDemo {
    static func main() async throws {
        let server = try MockServer { request in
            request.path == "/missing" ? .status(.notFound) : .data([UInt8](repeating: 7, count: 1 << 20))
        }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let names = ["sea.iso", "sky.iso", "missing"]
        let bars = ProgressBars()
        let lines = names.map(bars.add)
        let files = names.map { DownloadRequest(.get(server.url("/\($0)")), to: directory.appendingPathComponent($0)) }
        let downloads = CurlTransport().downloads(of: files, maxConcurrent: 2) { index, progress in
            lines[index].show(progress)
        }
        for await file in downloads {
            if case .failure = file.result { lines[file.index].fail() }
        }
        server.stop()
    }
}

/// Shows several transfers at once, a line each, with name, rate and time left.
///
///     let bars = ProgressBars()
///     let file = try bars.track("image") { progress in
///         try client.download(.get(url), to: "image.iso", progress: progress)
///     }
///
/// On a terminal the lines of running transfers are redrawn in place, cut to the current width. The line of a finished
/// transfer gets a ✓, or a ✗ with the bytes so far, and stays above the others. Without a terminal each transfer prints
/// plain lines: at its start, every 10 seconds, and at its end.
///
/// Any thread may use it. The writer is never called concurrently.
final class ProgressBars: Sendable {
    private let write: @Sendable (String) -> Void
    /// Columns and rows of the terminal; nil for plain lines.
    private let size: @Sendable () -> (columns: Int, rows: Int)?
    private let state = Mutex(ProgressBoard())

    /// Bars on standard error, so that standard output is free for the program's results. A `dumb` terminal gets plain
    /// lines.
    convenience init() {
        self.init(write: Terminal.writeToStandardError, size: Terminal.sizeOfStandardError)
    }

    /// Bars written by `write`, as on a terminal of `width` columns or in plain lines.
    convenience init(isTerminal: Bool, width: Int = 80, write: @escaping @Sendable (String) -> Void) {
        self.init(write: write) { isTerminal ? (width, 24) : nil }
    }

    init(write: @escaping @Sendable (String) -> Void, size: @escaping @Sendable () -> (columns: Int, rows: Int)?) {
        self.write = write
        self.size = size
    }

    /// The bar of one transfer. A bar that is released before its end counts as failed.
    final class Bar: Sendable {
        private let bars: ProgressBars
        private let id: Int

        fileprivate init(_ bars: ProgressBars, _ id: Int) {
            self.bars = bars
            self.id = id
        }

        deinit { fail() }

        /// Shows `progress`. After one with `isFinished`, further progress is ignored.
        func show(_ progress: TransferProgress) { bars.change { $0.show(progress, of: id, at: .now) } }

        /// Marks the transfer as failed and keeps its progress. Ignored when it is over.
        func fail() { bars.change { $0.fail(id) } }

        /// Marks the transfer as successful, even without reported progress. Ignored when it is over.
        func finish() { bars.change { $0.finish(id) } }
    }

    /// A bar for the transfer `name`. It appears with its first progress.
    func add(_ name: String) -> Bar { Bar(self, state.withLock { $0.add(name) }) }

    /// Shows the transfer made by `work`, and marks it as finished, or as failed if `work` throws.
    func track<Value, Failure: Error>(
        _ name: String, _ work: (@escaping @Sendable (TransferProgress) -> Void) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let bar = add(name)
        do throws(Failure) {
            let value = try work(bar.show)
            bar.finish()
            return value
        } catch {
            bar.fail()
            throw error
        }
    }

    /// The same for work that is awaited.
    func track<Value, Failure: Error>(
        _ name: String, isolation: isolated (any Actor)? = #isolation,
        _ work: (@escaping @Sendable (TransferProgress) -> Void) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let bar = add(name)
        do throws(Failure) {
            let value = try await work(bar.show)
            bar.finish()
            return value
        } catch {
            bar.fail()
            throw error
        }
    }

    /// Written under the lock: text out of order would leave the cursor in an unexpected line.
    private func change(_ change: (inout ProgressBoard) -> Bool) {
        state.withLock { board in
            guard change(&board) else { return }
            let text = board.draw(on: size(), at: .now)
            if !text.isEmpty { write(text) }
        }
    }
}

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

    /// A name from elsewhere must not move the cursor.
    private static func printable(_ name: String) -> String {
        name.unicodeScalars.map { $0.properties.generalCategory == .control ? $0.escaped(asASCII: true) : "\($0)" }
            .joined()
    }

    /// Adds a transfer and returns its number.
    mutating func add(_ name: String) -> Int {
        count += 1
        rows.append(Row(id: count, name: Self.printable(name)))
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

/// The terminal at standard error.
enum Terminal {
    /// The current size, which may change. Nil if there is no terminal, or one that cannot redraw a line. If the
    /// terminal does not report its width, it is that of `COLUMNS`, or else 80.
    @Sendable static func sizeOfStandardError() -> (columns: Int, rows: Int)? {
        guard isatty(STDERR_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return Self.size(
            columns: isKnown ? Int(size.ws_col) : 0, rows: isKnown ? Int(size.ws_row) : 0,
            variable: ProcessInfo.processInfo.environment["COLUMNS"])
    }

    static func size(columns: Int, rows: Int, variable: String?) -> (columns: Int, rows: Int) {
        let named = variable.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        return (columns > 0 ? columns : named ?? 80, rows > 0 ? rows : 24)
    }

    @Sendable static func writeToStandardError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
