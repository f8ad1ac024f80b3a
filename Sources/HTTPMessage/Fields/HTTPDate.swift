import HTTPSupport

/// A date and time in one of the three forms that HTTP recipients must accept (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable {
    /// Seconds since 1970, leap seconds not counted.
    package let unixTime: Int

    /// Nil for any other form and for impossible dates. `now` (seconds since 1970) decides the century of a two-digit
    /// year: the latest year that is at most 50 years ahead.
    package init?(_ text: String, now: Double) {
        let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map(Array.init)
        let time = Self.fixdate(words) ?? Self.asctime(words) ?? Self.obsolete(words, now: now)
        guard let time else { return nil }
        unixTime = time
    }

    /// The same, regardless of the case of letters, as caches read dates (RFC 9111 §4.2).
    package init?(forgiving text: String, now: Double) {
        if let date = HTTPDate(text, now: now) { self = date } else { self.init(Self.recased(text), now: now) }
    }

    /// Each word capitalized, and the time zone in capitals.
    private static func recased(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let lower = ASCII.lowercased(word)
            guard lower != "gmt" else { return "GMT" }
            return lower.split(separator: "-", omittingEmptySubsequences: false)
                .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
        }.joined(separator: " ")
    }

    private typealias Word = [UInt8]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixdate(_ words: [Word]) -> Int? {
        guard words.count == 6, days.contains(where: { words[0] == Word("\($0),".utf8) }), isGMT(words[5]),
            let day = number(words[1], digits: 2), let month = month(words[2]), let year = number(words[3], digits: 4)
        else { return nil }
        return unixTime(year: year, month: month, day: day, time: words[4])
    }

    /// `Sun Nov  6 08:49:37 1994`: a one-digit day has two spaces before it.
    private static func asctime(_ words: [Word]) -> Int? {
        guard words.count >= 5, days.contains(where: { words[0] == Word($0.utf8) }), let month = month(words[1]) else {
            return nil
        }
        let isPadded = words.count == 6 && words[2].isEmpty
        let rest = words.dropFirst(isPadded ? 3 : 2)
        guard rest.count == 3, let first = rest.first, let last = rest.last,
            let day = number(first, digits: isPadded ? 1 : 2), let year = number(last, digits: 4)
        else { return nil }
        return unixTime(year: year, month: month, day: day, time: rest[rest.startIndex + 1])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850).
    private static func obsolete(_ words: [Word], now: Double) -> Int? {
        guard words.count == 4, longDays.contains(where: { words[0] == Word("\($0),".utf8) }), isGMT(words[3]) else {
            return nil
        }
        let date = words[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map(Array.init)
        guard date.count == 3, let day = number(date[0], digits: 2), let month = month(date[1]),
            let shortYear = number(date[2], digits: 2)
        else { return nil }
        // A simulated clock may show any time.
        let thisYear = 1970 + Int(min(max(now, -1e12), 1e12) / 31_556_952)
        var year = thisYear - thisYear % 100 + 100 + shortYear
        while year > thisYear + 50 { year -= 100 }
        return unixTime(year: year, month: month, day: day, time: words[2])
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func month(_ word: Word) -> Int? {
        months.firstIndex { word == Word($0.utf8) }.map { $0 + 1 }
    }

    private static func isGMT(_ word: Word) -> Bool { word == Word("GMT".utf8) }

    /// `time` is `08:49:37`.
    private static func unixTime(year: Int, month: Int, day: Int, time: Word) -> Int? {
        let parts = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            let second = number(parts[2], digits: 2)
        else { return nil }
        return GregorianCalendar.unixTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    private static func number(_ word: some Collection<UInt8>, digits: Int) -> Int? {
        guard word.count == digits, word.allSatisfy(ASCII.isDigit) else { return nil }
        return word.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

extension GregorianCalendar {
    /// Seconds since 1970; nil for 30 February or 25 o'clock. A leap second becomes the first second of the next
    /// minute.
    static func unixTime(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int? {
        guard (1...12).contains(month), (1...days(inMonth: month, of: year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        return daysSince1970(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }
}
