import HTTPSupport

/// Searches at the speed of the C library also in debug builds, in which tests run.
extension [UInt8] {
    package func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[range])
            guard let base = part.baseAddress, let found = memchr(base, Int32(byte), part.count) else { return nil }
            return range.lowerBound + (UnsafeRawPointer(found) - base)
        }
    }

    /// The index of the next `byte`; nil if there is none.
    package func next(_ byte: UInt8, from start: Int) -> Int? {
        start < count ? firstIndex(of: byte, in: start..<count) : nil
    }

    /// The index after the closing quote of the JSON string whose opening quote is at `start`.
    package func textEnd(from start: Int) -> Int {
        var place = start + 1
        while let quote = next(UInt8(ascii: "\""), from: place) {
            var before = quote
            while before > start + 1, self[before - 1] == UInt8(ascii: "\\") { before -= 1 }
            // An escaped quote has an odd number of backslashes before it.
            if (quote - before).isMultiple(of: 2) { return quote + 1 }
            place = quote + 1
        }
        return count
    }
}
