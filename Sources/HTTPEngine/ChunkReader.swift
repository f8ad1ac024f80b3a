/// Reads a body in chunks (RFC 9112 §7.1), strictly: where two recipients could read something else, such as a size of `5x`
/// or a line that ends in a bare LF, it finds an error.
package struct ChunkReader {
    private enum State {
        case size, extensions, data
        /// The line break after the data.
        case dataEnd
        case trailers
        /// Behind the empty line of the trailers.
        case over
    }

    private var state = State.size
    /// The start of a size line, for an error message. The rest is not kept: leading zeros and trailing blanks may be
    /// endless.
    private var line: [UInt8] = []
    private static let lineLimit = 40
    /// The maximum length of a size line with its extensions, which "a recipient ought to limit" (RFC 9112 §7.1.1).
    private static let mostBytesOfLine = 16 << 10
    private var lineByteCount = 0
    private var size: UInt64 = 0
    private var left: UInt64 = 0
    private var hasPadding = false
    /// Whether the last byte of a line was a CR. Only LF may follow.
    private var hasReturn = false
    private var lineEndProblem = false
    private let isStrict: Bool
    /// The trailer section as far as it came, with the empty line at its end.
    package private(set) var trailerSection: [UInt8] = []

    /// `isStrict`: Whether it refuses blanks behind a size and control characters in an extension. Some servers send them; no
    /// client may.
    package init(isStrict: Bool = false) { self.isStrict = isStrict }

    /// Whether it has seen the end of the body and of its trailers.
    package var isOver: Bool { state == .over }

    /// The next part of the data in `bytes`, which then begin behind it; nil if they have no more. It must not be called
    /// again after an error. What follows the end of the body is left.
    package mutating func next(
        in bytes: inout UnsafeRawBufferPointer
    ) throws(ResponseHead.Violation) -> UnsafeRawBufferPointer? {
        var index = 0
        defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[index...]) }
        while index < bytes.count, state != .over {
            if state == .data {
                let data = bytes[index...].prefix(Int(min(left, UInt64(bytes.count - index))))
                left -= UInt64(data.count)
                index = data.endIndex
                if left == 0 {
                    state = .dataEnd
                    lineByteCount = 0
                }
                return UnsafeRawBufferPointer(rebasing: data)
            }
            lineByteCount += 1
            // The limit of the head bounds the trailers.
            guard state == .trailers || lineByteCount <= Self.mostBytesOfLine else {
                throw ResponseHead.Violation(reason: "the line of a chunk size is longer than 16 KiB (RFC 9112 §7.1.1)")
            }
            if state == .trailers { trailerSection.append(bytes[index]) }
            guard take(bytes[index]) else { throw ResponseHead.Violation(reason: problem) }
            index += 1
        }
        return nil
    }

    /// The fields of the trailer section.
    package var trailers: HTTPHeaders {
        get throws(ResponseHead.Violation) {
            try trailerSection.withUnsafeBufferPointer { section throws(ResponseHead.Violation) in
                var lines = HeadLines(section)
                return try FieldLines.parse(&lines)
            }
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        let isLineEnd = byte == 0x0A
        guard isLineEnd == hasReturn else {
            lineEndProblem = true
            return false
        }
        if byte == 0x0D {
            hasReturn = true
            return state != .size || !line.isEmpty
        }
        hasReturn = false
        switch state {
        case .size where isLineEnd: return finishSize()
        case .size:
            if line.count < Self.lineLimit { line.append(byte) }
            return takeSize(byte)
        case .extensions where isLineEnd: return finishSize()
        case .extensions: return !isStrict || byte == 0x09 || !ASCII.isControl(byte)
        case .dataEnd:
            state = .size
            lineByteCount = 0
            lineEndProblem = !isLineEnd
            return isLineEnd
        case .trailers:
            guard isLineEnd else { return true }
            // CR and LF alone.
            if lineByteCount == 2 { state = .over }
            lineByteCount = 0
            return true
        case .data, .over: return true
        }
    }

    private mutating func takeSize(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ";"):
            state = .extensions
            return line.count > 1
        // Some servers pad the size with spaces.
        case 0x20, 0x09:
            hasPadding = true
            return line.count > 1
        default:
            guard !hasPadding, size >> 60 == 0, let digit = ASCII.hexValue(byte) else { return false }
            size = size << 4 | UInt64(digit)
            return true
        }
    }

    private mutating func finishSize() -> Bool {
        guard !line.isEmpty, !(isStrict && hasPadding && state == .size) else { return false }
        left = size
        state = size == 0 ? .trailers : .data
        lineByteCount = 0
        size = 0
        hasPadding = false
        line.removeAll(keepingCapacity: true)
        return true
    }

    private var problem: String {
        if lineEndProblem {
            return "a line of a chunk size, of data or trailers does not end in CR and LF (RFC 9112 §7.1)"
        }
        let shown = String(decoding: line, as: UTF8.self).debugDescription
        return "its chunk size begins with \(shown): a size is hexadecimal digits (RFC 9112 §7.1)"
    }
}
