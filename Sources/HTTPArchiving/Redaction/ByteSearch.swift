import HTTPTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

extension ArraySlice<UInt8> {
    /// The contents of a JSON string without escapes: `\u0075rl` is the name `url`, too. Invalid ones stay as they are.
    var unescaped: ArraySlice<UInt8> {
        guard contains(UInt8(ascii: "\\")) else { return self }
        let quoted = Data("\"".utf8) + self + Data("\"".utf8)
        return (try? JSONDecoder().decode(String.self, from: quoted)).map { Array($0.utf8)[...] } ?? self
    }
}
