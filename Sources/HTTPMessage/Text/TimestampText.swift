package import HTTPFoundation
import HTTPSupport

/// Times as RFC 3339 spells them, with all of their fraction: the one spelling of a date in JSON, forms, queries and XML.
///
/// Foundation's style writes no fraction or exactly three digits, reads the 30th of February as the 2nd of March, and
/// ignores what follows the zone.
package enum TimestampText {
    /// `2026-03-01T09:30:00Z` in any zone and with any fraction (RFC 3339 §5.6); nil for anything else. The zone may lack
    /// its colon or its minutes, and the fraction may follow a comma (ISO 8601). A leap second is the next second.
    @Sendable package static func date(_ text: String) -> Date? {
        var scan = DateScan(text)
        guard let year = scan.number(4), scan.skip("-"), let month = scan.number(2), scan.skip("-"),
            let day = scan.number(2), scan.skip("T") || scan.skip("t") || scan.skip(" "), let time = scan.time(),
            let fraction = scan.fraction(), let offset = scan.offset(), scan.rest.isEmpty,
            let seconds = GregorianCalendar.unixTime(year: year, month: month, day: day, time: time)
        else { return nil }
        // A date counts from 2001: the fraction loses less there than behind the seconds since 1970.
        return Date(timeIntervalSinceReferenceDate: Double(seconds - Int64(offset) - secondsTo2001) + fraction)
    }

    /// With no fraction, three digits or six, whichever is needed: a date has no more. Nil outside the years 0 to 9999,
    /// which the format cannot express.
    package static func text(of date: Date) -> String? {
        let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
        let seconds = (microseconds / 1_000_000).rounded(.down)
        guard let whole = CivilTime(Date(timeIntervalSinceReferenceDate: seconds))?.iso8601 else { return nil }
        let rest = microseconds - seconds * 1_000_000
        guard rest > 0, rest < 1_000_000 else { return whole }
        let digits = String(String(Int(rest) + 1_000_000).dropFirst())
        return "\(whole.dropLast()).\(digits.hasSuffix("000") ? digits.dropLast(3) : digits[...])Z"
    }

    /// What a date without a text is, as a phrase.
    static let outOfRange = "a date before year 0 or after year 9999"

    private static let secondsTo2001: Int64 = 978_307_200
}

/// Reads a date and time from its start.
struct DateScan {
    private(set) var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    mutating func skip(_ text: StaticString) -> Bool {
        guard text.withUTF8Buffer({ rest.starts(with: $0) }) else { return false }
        rest = rest.dropFirst(text.utf8CodeUnitCount)
        return true
    }

    /// The index of the one of `names` that comes next.
    mutating func name(_ names: [String]) -> Int? {
        guard let index = names.firstIndex(where: { rest.starts(with: $0.utf8) }) else { return nil }
        rest = rest.dropFirst(names[index].utf8.count)
        return index
    }

    /// `Nov`: 11.
    mutating func month() -> Int? { name(CivilTime.months).map { $0 + 1 } }

    /// `08:49:37`
    mutating func time() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2) else {
            return nil
        }
        return (hour, minute, second)
    }

    /// A number of exactly so many digits.
    mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(ASCII.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// The fraction behind a point or a comma; 0 if there is neither.
    mutating func fraction() -> Double? {
        guard skip(".") || skip(",") else { return 0 }
        let digits = rest.prefix(while: ASCII.isDigit)
        rest = rest[digits.endIndex...]
        return digits.isEmpty ? nil : Double("0.\(Substring(digits))")
    }

    /// The seconds that the zone is ahead of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hours = number(2), hours < 24 else { return nil }
        var minutes = 0
        if !rest.isEmpty {
            _ = skip(":")
            guard let number = number(2), number < 60 else { return nil }
            minutes = number
        }
        return (isAhead ? 1 : -1) * (hours * 3600 + minutes * 60)
    }
}
