import HTTPFoundation
import HTTPSupport

/// Parses the dates in Set-Cookie, which come in many forms. The algorithm of RFC 6265bis §5.1.1 takes the first parts
/// of the text that look like a time, a day, a month and a year.
enum CookieDate {
    /// Nil for an invalid date.
    static func parse(_ text: String) -> Date? {
        var found = Parts()
        for token in text.utf8.split(whereSeparator: isDelimiter) { found.take(token) }
        return found.date
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private struct Parts {
        private var time: (hour: Int, minute: Int, second: Int)?
        private var day: Int?
        private var month: Int?
        private var year: Int?

        mutating func take(_ token: Substring.UTF8View) {
            if time == nil, let value = Self.time(token) {
                time = value
            } else if day == nil, let value = Self.number(token, digits: 1...2) {
                day = value
            } else if month == nil, let value = Self.month(token) {
                month = value
            } else if year == nil, let value = Self.number(token, digits: 2...4) {
                year = value
            }
        }

        var date: Date? {
            guard let time, let day, let month, var year else { return nil }
            if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
            guard year >= 1601, time.second <= 59 else { return nil }
            return GregorianCalendar.unixTime(year: year, month: month, day: day, time: time)
                .map { Date(timeIntervalSince1970: TimeInterval($0)) }
        }

        /// A number of that many digits, followed by a non-digit or the end.
        private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
            let number = token.prefix(while: ASCII.isDigit)
            return digits.contains(number.count) ? Int(Substring(number)) : nil
        }

        /// Three numbers of one or two digits between colons. The text after the last one is ignored.
        private static func time(_ token: Substring.UTF8View) -> (Int, Int, Int)? {
            let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[0].allSatisfy(ASCII.isDigit), fields[1].allSatisfy(ASCII.isDigit),
                let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
                let second = number(fields[2], digits: 1...2)
            else { return nil }
            return (hour, minute, second)
        }

        private static func month(_ token: Substring.UTF8View) -> Int? {
            let name = token.prefix(3).map(ASCII.lowercased)
            return CivilTime.months.firstIndex { name.elementsEqual($0.utf8.map(ASCII.lowercased)) }.map { $0 + 1 }
        }
    }
}
