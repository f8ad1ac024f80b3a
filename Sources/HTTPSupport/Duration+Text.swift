extension Duration {
    /// `1.5 s`, `20 ms` or `500 µs`.
    package var text: String {
        let (seconds, attoseconds) = components
        let microseconds = attoseconds / 1_000_000_000_000
        guard seconds < 1 else { return "\(seconds)\(Self.fraction(microseconds / 1000)) s" }
        guard microseconds < 1000 else { return "\(microseconds / 1000)\(Self.fraction(microseconds % 1000)) ms" }
        return "\(microseconds) µs"
    }

    /// Thousandths as `.5`; empty for zero.
    private static func fraction(_ thousandths: Int64) -> String {
        guard thousandths > 0 else { return "" }
        var digits = String(thousandths + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "." + digits
    }

    /// Rounded to three or four digits.
    package var rounded: Duration {
        let step: Duration =
            if self >= .seconds(10) {
                .milliseconds(100)
            } else if self >= .seconds(1) {
                .milliseconds(10)
            } else if self >= .milliseconds(100) {
                .milliseconds(1)
            } else if self >= .milliseconds(10) { .microseconds(100) } else { .microseconds(1) }
        return step * Int((self / step).rounded())
    }
}
