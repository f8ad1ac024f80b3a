/// Numbers of bytes in words.
package enum ByteCount {
    /// `512 B`, `1.5 MB`: powers of 1000, at most three digits.
    package static func text(_ bytes: Int64) -> String {
        var value = Double(max(bytes, 0))
        var units = ["B", "kB", "MB", "GB", "TB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let isWhole = value >= 99.95 || units.first == "B"
        let tenths = Int((value * 10).rounded())
        let number = isWhole ? "\(Int(value.rounded()))" : "\(tenths / 10).\(tenths % 10)"
        return "\(number) \(units.first ?? "TB")"
    }
}

// `count` is an `Int`, which has 32 bits on some systems, and traps there beyond 2 GiB.

extension Range<Int64> {
    /// How many bytes it has.
    package var length: Int64 { upperBound - lowerBound }
}

extension ClosedRange<Int64> {
    /// How many bytes it has; the last byte has a lower number than `Int64.max`.
    package var length: Int64 { upperBound - lowerBound + 1 }
}
