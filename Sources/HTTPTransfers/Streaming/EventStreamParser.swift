/// Parses a `text/event-stream` that arrives in pieces (WHATWG HTML §9.2.6, interpreting an event stream).
///
/// An event at the end of the stream is dropped unless a blank line completes it, as the algorithm says.
struct EventStreamParser {
    /// The current settings of the stream, kept across connections.
    struct Memory: Sendable, Hashable {
        /// The id sent as `Last-Event-ID` on reconnection; empty for none.
        var lastEventID = ""
        /// The delay before a reconnection; nil if the stream sets none.
        var retry: Duration?
    }

    private(set) var memory: Memory

    private var lines: LineSplitter
    private var isAtStart = true
    private var data = ""
    private var hasData = false
    private var type = ""
    /// The id takes effect when its event ends, with or without data.
    private var id: String
    private let eventLimit: Int

    /// `eventLimit` is the maximum length of a line, and of the data of one event, in bytes.
    init(resuming memory: Memory = Memory(), eventLimit: Int) {
        self.memory = memory
        self.eventLimit = eventLimit
        lines = LineSplitter(limit: eventLimit)
        id = memory.lastEventID
    }

    /// Parses the next piece and returns the events that it completes. If one is too long, the events before it are
    /// returned with the error.
    mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> (events: [ServerSentEvent], LineSplitter.LineTooLong?) {
        var events: [ServerSentEvent] = []
        // Moved, not copied: with a second reference, each piece would copy the line that it continues.
        var lines = LineSplitter(limit: eventLimit)
        swap(&lines, &self.lines)
        let tooLong: LineSplitter.LineTooLong?
        do {
            tooLong = try lines.split(bytes) { line throws(LineSplitter.LineTooLong) in
                if let event = take(line) { events.append(event) }
                guard data.utf8.count <= eventLimit else { throw LineSplitter.LineTooLong(limit: eventLimit) }
            }
        } catch {
            tooLong = error
        }
        self.lines = lines
        return (events, tooLong)
    }

    private mutating func take(_ line: UnsafeBufferPointer<UInt8>) -> ServerSentEvent? {
        let line = isAtStart ? Self.withoutByteOrderMark(line) : line
        isAtStart = false
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        // A line that begins with a colon is a comment.
        guard colon != 0 else { return nil }
        let name = line[..<(colon ?? line.count)]
        var value = line[(colon.map { $0 + 1 } ?? line.count)...]
        if value.first == 0x20 { value = value.dropFirst() }
        takeField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        return nil
    }

    private mutating func takeField(_ name: String, _ value: String) {
        switch name {
        case "event": type = value
        case "data":
            if hasData { data += "\n" }
            data += value
            hasData = true
        case "id": if !value.utf8.contains(0) { id = value }
        case "retry": if let milliseconds = ASCII.number(value) { memory.retry = .milliseconds(milliseconds) }
        default: break
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        memory.lastEventID = id
        defer {
            data = ""
            hasData = false
            type = ""
        }
        // A single `data` line without a value is an event with empty data.
        guard hasData else { return nil }
        return ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: id)
    }

    private static func withoutByteOrderMark(_ line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        line.starts(with: [0xEF, 0xBB, 0xBF]) ? UnsafeBufferPointer(rebasing: line.dropFirst(3)) : line
    }
}
