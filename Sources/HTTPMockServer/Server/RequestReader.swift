import HTTPEngine
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

        mutating func take(_ part: some Collection<UInt8>, limit: Int) {
            bytes.append(contentsOf: part.prefix(max(0, limit - bytes.count)))
            count += part.count
        }
    }

    private enum State {
        case head
        case content(left: Int)
        case chunks
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
    private var chunks = ChunkReader(isStrict: true)

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
                (body, chunks) = (RequestBody(), ChunkReader(isStrict: true))
                switch head.bodyLength {
                case .known(let count): state = .content(left: count)
                case .chunked: state = .chunks
                }
                return .head(head)
            case .content(let left):
                let rest = left - takeContent(atMost: left)
                state = .content(left: rest)
                return rest == 0 ? end() : nil
            case .chunks:
                try takeChunks()
                guard chunks.isOver else { return nil }
                var lines = LineCursor(chunks.trailerSection)
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
        body.take(buffer[position..<position + count], limit: bodyLimit)
        skip(to: position + count)
        return count
    }

    private mutating func takeChunks() throws(MalformedRequest) {
        let left = try buffer[position...].withUnsafeBufferPointer { bytes throws(MalformedRequest) in
            var rest = UnsafeRawBufferPointer(bytes)
            do throws(ResponseHead.Violation) {
                while let data = try chunks.next(in: &rest) { body.take(data, limit: bodyLimit) }
            } catch { throw MalformedRequest(reason: error.reason) }
            return rest.count
        }
        skip(to: buffer.count - left)
        guard chunks.trailerSection.count <= Self.longestHead else { throw Self.tooLong("trailer section") }
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
        guard buffer.count - position <= Self.longestHead else { throw Self.tooLong("head") }
        return nil
    }

    private static func tooLong(_ section: String) -> MalformedRequest {
        MalformedRequest(reason: "\(section) is longer than \(longestHead) bytes")
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
}
