#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Times as RFC 3339 spells them, with all of their fraction. Foundation's style writes none and reads three digits.
enum TimestampText {
    static func date(_ text: String) -> Date? {
        let style = Date.ISO8601FormatStyle()
        guard let point = text.firstIndex(of: ".") else { return try? style.parse(text) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, let fraction = Double("0.\(digits)"),
            let whole = try? style.parse(String(text[..<point]) + String(text[digits.endIndex...]))
        else { return nil }
        return whole + fraction
    }

    /// With no fraction, three digits or six, whichever is needed: a date has no more.
    static func text(of date: Date) -> String {
        let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
        let seconds = (microseconds / 1_000_000).rounded(.down)
        let whole = Date(timeIntervalSinceReferenceDate: seconds).formatted(Date.ISO8601FormatStyle())
        let rest = microseconds - seconds * 1_000_000
        guard rest > 0, rest < 1_000_000, whole.hasSuffix("Z") else { return whole }
        let digits = String(String(Int(rest) + 1_000_000).dropFirst())
        return "\(whole.dropLast()).\(digits.hasSuffix("000") ? digits.dropLast(3) : digits[...])Z"
    }
}
