import HTTPCore
import HTTPTesting

/// Splits the bytes of a connection into requests (RFC 9112): call `append`, then `next` until it is nil.
struct RequestReader {
    enum Event {
        /// A request line and headers; the body follows.
        case head(RequestHead)
        /// The end of that request.
        case end(RequestBody)
    }

    /// A decoded body with its trailer fields.
    struct RequestBody: Sendable {
        /// The first bytes, up to the limit of the reader.
        var bytes: [UInt8] = []
        /// The number of bytes, kept or not.
        var count = 0
        var trailers = HTTPHeaders()
    }

    private enum State {
        case head
        case content(left: Int)
        case chunkHead
        case chunk(left: Int)
        case chunkEnd
        case trailers
    }

    /// The maximum size of a head or trailer section, in bytes. A longer one is malformed.
    static let longestHead = 1 << 20

    private let bodyLimit: Int
    private var buffer: [UInt8] = []
    private var position = 0
    /// The end of the head is not before this index.
    private var searched = 0
    private var state = State.head
    private(set) var body = RequestBody()

    /// Keeps at most `bodyLimit` bytes of a body.
    init(bodyLimit: Int = .max) { self.bodyLimit = bodyLimit }

    /// Whether the connection is between two requests.
    var isIdle: Bool { if case .head = state { unread.isEmpty } else { false } }
    var isReadingHead: Bool { if case .head = state { true } else { false } }

    /// The bytes after the last event.
    var unread: ArraySlice<UInt8> { buffer[position...] }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if position > 0 {
            buffer.removeSubrange(..<position)
            searched -= position
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next event; nil if more bytes are needed.
    mutating func next() throws(MalformedRequest) -> Event? {
        while true {
            switch state {
            case .head:
                guard let bytes = try takeSection() else { return nil }
                let head = try parsed(bytes)
                body = RequestBody()
                switch head.bodyLength {
                case .known(let count): state = .content(left: count)
                case .chunked: state = .chunkHead
                }
                return .head(head)
            case .content(let left):
                let rest = left - takeContent(atMost: left)
                state = .content(left: rest)
                return rest == 0 ? end() : nil
            case .chunkHead:
                guard let line = try takeLine() else { return nil }
                let size = try Self.chunkSize(line)
                state = size == 0 ? .trailers : .chunk(left: size)
            case .chunk(let left):
                let rest = left - takeContent(atMost: left)
                state = rest == 0 ? .chunkEnd : .chunk(left: rest)
                if rest > 0 { return nil }
            case .chunkEnd:
                guard let line = try takeLine() else { return nil }
                guard line.isEmpty else { throw MalformedRequest(reason: "chunk is longer than its size says") }
                state = .chunkHead
            case .trailers:
                guard let bytes = try takeSection() else { return nil }
                var lines = LineCursor(bytes)
                body.trailers = try HTTPHeaders(readingFrom: &lines)
                return end()
            }
        }
    }

    /// The head that `bytes` are. A malformed one ends the connection, and is left as `unread` for the report.
    private mutating func parsed(_ bytes: [UInt8]) throws(MalformedRequest) -> RequestHead {
        do throws(MalformedRequest) { return try RequestHead(parsing: bytes) } catch {
            buffer = bytes
            position = 0
            throw error
        }
    }

    private mutating func end() -> Event {
        state = .head
        return .end(body)
    }

    private mutating func takeContent(atMost limit: Int) -> Int {
        let count = min(limit, buffer.count - position)
        let kept = min(count, bodyLimit - body.bytes.count)
        if kept > 0 { body.bytes.append(contentsOf: buffer[position..<(position + kept)]) }
        body.count += count
        skip(to: position + count)
        return count
    }

    /// The bytes up to and including the next empty line.
    private mutating func takeSection() throws(MalformedRequest) -> [UInt8]? {
        var lineStart = max(position, searched)
        while let newline = buffer.firstIndex(of: 0x0A, in: lineStart..<buffer.count) {
            let lineEnd = newline > lineStart && buffer[newline - 1] == 0x0D ? newline - 1 : newline
            if lineEnd == lineStart {
                defer { skip(to: newline + 1) }
                return Array(buffer[position...newline])
            }
            lineStart = newline + 1
        }
        searched = lineStart
        guard buffer.count - position <= Self.longestHead else {
            throw MalformedRequest(reason: "head is longer than \(Self.longestHead) bytes")
        }
        return nil
    }

    private mutating func takeLine() throws(MalformedRequest) -> ArraySlice<UInt8>? {
        let newline = buffer.firstIndex(of: 0x0A, in: position..<buffer.count)
        guard (newline ?? buffer.count) - position <= 4_096 else {
            throw MalformedRequest(reason: "chunk head is longer than 4096 bytes")
        }
        guard let newline else { return nil }
        guard newline > position, buffer[newline - 1] == 0x0D else {
            throw MalformedRequest(reason: "chunk line ends in LF without CR")
        }
        defer { skip(to: newline + 1) }
        return buffer[position..<(newline - 1)]
    }

    private mutating func skip(to end: Int) {
        position = end
        searched = end
        if position == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            position = 0
            searched = 0
        }
    }

    /// A hexadecimal size, with or without extensions after a semicolon, before which there may be blanks (RFC 9112 §7.1).
    private static func chunkSize(_ line: ArraySlice<UInt8>) throws(MalformedRequest) -> Int {
        var digits = line.prefix { $0 != UInt8(ascii: ";") }
        if digits.endIndex < line.endIndex {
            while let last = digits.last, ASCII.isBlank(last) { digits = digits.dropLast() }
        }
        guard digits.allSatisfy(ASCII.isHexDigit), line.withUnsafeBufferPointer(ASCII.isFreeOfControls),
            let size = Int(digits.text, radix: 16)
        else { throw MalformedRequest(reason: "chunk size is not hexadecimal: \(line.text)") }
        return size
    }
}
