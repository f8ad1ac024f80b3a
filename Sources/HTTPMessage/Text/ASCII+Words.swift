/// Checks of header names and values, eight bytes at a time.
extension ASCII {
    /// Whether `bytes` may be a token; see `isToken(_:)`.
    package static func isToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        !bytes.isEmpty && all(bytes, words: isLettersAndHyphens, bytes: isTokenByte)
    }

    /// Whether no byte is a control character other than a tab.
    package static func isFreeOfControls(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        all(bytes, words: { !hasControl($0) }, bytes: { !isControl($0) || $0 == 0x09 })
    }

    package static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        all(bytes, words: { $0 & highBits == 0 }, bytes: { $0 < 0x80 })
    }

    /// Whether all bytes are acceptable. Words of eight bytes are checked at once, and words that fail byte by byte.
    @inline(__always)
    private static func all(
        _ bytes: UnsafeBufferPointer<UInt8>, words isPlain: (UInt64) -> Bool, bytes isAllowed: (UInt8) -> Bool
    ) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var place = 0
        while place < raw.count {
            // The last word overlaps the one before it, so that only texts shorter than eight bytes are checked byte by
            // byte.
            let start = min(place, max(0, raw.count - 8))
            let end = min(start + 8, raw.count)
            if end - start < 8 || !isPlain(raw.loadUnaligned(fromByteOffset: start, as: UInt64.self)) {
                for place in start..<end where !isAllowed(raw[place]) { return false }
            }
            place = end
        }
        return true
    }

    /// The highest bit of each byte; and one number in each byte.
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static func each(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

    /// Whether each byte is a letter or a hyphen, as in nearly all names.
    @inline(__always)
    private static func isLettersAndHyphens(_ word: UInt64) -> Bool {
        guard word & highBits == 0 else { return false }
        let small = word | each(0x20)
        // No sum reaches the next byte, as each is below 128. From `a` on, but not from `{` on.
        let letters = (small &+ each(0x80 - 0x61)) & ~(small &+ each(0x80 - 0x7B))
        let hyphens = ~((word ^ each(0x2D)) &+ each(0x7F))
        return (letters | hyphens) & highBits == highBits
    }

    /// Whether a byte may be a control character: below space, or DEL. A byte from 128 on is not, but may give a false
    /// positive, which is then checked byte by byte.
    @inline(__always)
    private static func hasControl(_ word: UInt64) -> Bool {
        let differing = word ^ each(0x7F)
        let below = (word &- each(0x20)) & ~word
        let deleted = (differing &- each(0x01)) & ~differing
        return (below | deleted) & highBits != 0
    }
}
