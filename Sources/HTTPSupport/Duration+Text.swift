extension Duration {
    /// `1.5 s`, `20 ms` or `500 µs`; `-1.5 s` for a negative one.
    package var text: String {
        let (seconds, attoseconds) = (components.seconds.magnitude, components.attoseconds.magnitude)
        let microseconds = attoseconds / 1_000_000_000_000
        let sign = self <= .microseconds(-1) ? "-" : ""
        guard seconds < 1 else { return "\(sign)\(seconds)\((microseconds / 1000).thousandths) s" }
        guard microseconds < 1000 else {
            return "\(sign)\(microseconds / 1000)\((microseconds % 1000).thousandths) ms"
        }
        return "\(sign)\(microseconds) µs"
    }

    /// Rounded to three or four digits.
    package var rounded: Duration {
        let steps = [Duration.milliseconds(100), .milliseconds(10), .milliseconds(1), .microseconds(100)]
        let step = steps.first { self >= $0 * 100 } ?? .microseconds(1)
        return step * Int((self / step).rounded())
    }
}

extension BinaryInteger {
    /// So many thousandths as `.5`; empty for zero.
    package var thousandths: String {
        guard self > 0 else { return "" }
        var digits = String(self + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "." + digits
    }
}
