import HTTPCore

/// Checks the chunks of a body on the wire (RFC 9112 §7.1), which libcurl does not check strictly: it reads `5x` as 5,
/// `0x5` as the end of the body, and a bare LF as the end of a line, and another recipient on the way may read something
/// else.
///
/// It reads the lines only; the engine checks that each chunk is complete.
package struct ChunkCheck {
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

    package init() {}

    /// Whether it has seen the end of the body and of its trailers.
    var isOver: Bool { state == .over }

    /// Takes the next bytes. Returns the error in a size as a phrase; it must not be called again then.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) -> String? {
        var index = 0
        while index < bytes.count, state != .over {
            if state == .data {
                let step = Int(min(left, UInt64(bytes.count - index)))
                left -= UInt64(step)
                index += step
                if left == 0 {
                    state = .dataEnd
                    lineByteCount = 0
                }
            } else {
                lineByteCount += 1
                // The limit of the head bounds the trailers.
                guard state == .trailers || lineByteCount <= Self.mostBytesOfLine else {
                    return "the line of a chunk size is longer than 16 KiB (RFC 9112 §7.1.1)"
                }
                if !take(bytes[index]) { return problem }
                index += 1
            }
        }
        return nil
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
        case .extensions: return isLineEnd ? finishSize() : true
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
            guard !hasPadding, ASCII.isHexDigit(byte), size >> 60 == 0, let digit = Self.value(byte) else {
                return false
            }
            size = size << 4 | digit
            return true
        }
    }

    private mutating func finishSize() -> Bool {
        guard !line.isEmpty else { return false }
        left = size
        state = size == 0 ? .trailers : .data
        lineByteCount = 0
        size = 0
        hasPadding = false
        line.removeAll(keepingCapacity: true)
        return true
    }

    private static func value(_ digit: UInt8) -> UInt64? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt64.init)
    }

    private var problem: String {
        if lineEndProblem {
            return "a line of a chunk size, of data or trailers does not end in CR and LF (RFC 9112 §7.1)"
        }
        let shown = String(decoding: line, as: UTF8.self).debugDescription
        return "its chunk size begins with \(shown): a size is hexadecimal digits (RFC 9112 §7.1)"
    }
}
