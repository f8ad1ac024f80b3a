import HTTPTesting

extension [UInt8] {
    /// The index of the next `byte`; nil if there is none.
    func next(_ byte: UInt8, from start: Int) -> Int? {
        start < count ? firstIndex(of: byte, in: start..<count) : nil
    }

    /// The index after the closing quote of the JSON string whose opening quote is at `start`.
    func textEnd(from start: Int) -> Int {
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
