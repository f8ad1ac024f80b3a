extension [UInt8] {
    /// Where `byte` is next; nil for nowhere.
    func next(_ byte: UInt8, from start: Int) -> Int? {
        start < count ? firstIndex(of: byte, in: start..<count) : nil
    }

    /// Behind the quote that ends the JSON text which starts, with its own quote, at `start`.
    func textEnd(from start: Int) -> Int {
        var place = start + 1
        while let quote = next(UInt8(ascii: "\""), from: place) {
            var before = quote
            while before > start + 1, self[before - 1] == UInt8(ascii: "\\") { before -= 1 }
            // An escaped quote has an odd number of backslashes in front.
            if (quote - before).isMultiple(of: 2) { return quote + 1 }
            place = quote + 1
        }
        return count
    }
}
