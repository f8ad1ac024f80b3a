import HTTPFoundation

/// A moment as Gregorian date and time of day in UTC, truncated to seconds.
package struct CivilTime: Hashable {
    let year: Int
    /// 1 to 12.
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    /// 0 is Sunday.
    let weekday: Int

    /// Nil outside the years 0 to 9999, which the formats cannot express.
    package init?(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds >= -62_167_219_200, seconds < 253_402_300_800 else { return nil }
        let whole = Int64(seconds)
        let days = (whole - (whole % 86_400 + 86_400) % 86_400) / 86_400
        let clock = Int(whole - days * 86_400)
        (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60)
        // 1970-01-01 was a Thursday.
        weekday = Int(((days + 4) % 7 + 7) % 7)
        (year, month, day) = GregorianCalendar.date(daysSince1970: Int(days))
    }

    /// `2026-03-01T09:30:00Z` (RFC 3339).
    package var iso8601: String { "\(year.digits(4))-\(month.digits(2))-\(day.digits(2))T\(clock)Z" }

    /// `Sun, 01 Mar 2026 09:30:00 GMT` (RFC 9110 §5.6.7, IMF-fixdate).
    package var httpDate: String {
        let (weekday, month) = (Self.weekdays[weekday], Self.months[month - 1])
        return "\(weekday), \(day.digits(2)) \(month) \(year.digits(4)) \(clock) GMT"
    }

    package static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private var clock: String { "\(hour.digits(2)):\(minute.digits(2)):\(second.digits(2))" }
}

extension BinaryInteger {
    /// The digits of the number, which is not negative, behind as many zeros as make it `length` characters long.
    package func digits(_ length: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: max(0, length - digits.utf8.count)) + digits
    }
}
