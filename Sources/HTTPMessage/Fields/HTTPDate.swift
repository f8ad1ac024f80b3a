import HTTPSupport

/// A date and time in one of the three forms that HTTP recipients must accept (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable {
    /// Seconds since 1970, leap seconds not counted.
    package let unixTime: Int64

    /// Nil for any other form and for impossible dates. `now` (seconds since 1970) decides the century of a two-digit
    /// year: the latest time that is at most 50 years ahead.
    package init?(_ text: String, now: Double) {
        let time = Self.fixdate(text) ?? Self.asctime(text) ?? Self.obsolete(text, now: now)
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

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixdate(_ text: String) -> Int64? {
        var scan = DateScan(text)
        guard scan.name(CivilTime.weekdays) != nil, scan.skip(", "), let day = scan.number(2), scan.skip(" "),
            let month = scan.month(), scan.skip(" "), let year = scan.number(4), scan.skip(" "),
            let time = scan.time(), scan.skip(" GMT"), scan.rest.isEmpty
        else { return nil }
        return GregorianCalendar.unixTime(year: year, month: month, day: day, time: time)
    }

    /// `Sun Nov  6 08:49:37 1994`: a one-digit day has two spaces before it.
    private static func asctime(_ text: String) -> Int64? {
        var scan = DateScan(text)
        guard scan.name(CivilTime.weekdays) != nil, scan.skip(" "), let month = scan.month(), scan.skip(" "),
            let day = scan.number(scan.skip(" ") ? 1 : 2), scan.skip(" "), let time = scan.time(), scan.skip(" "),
            let year = scan.number(4), scan.rest.isEmpty
        else { return nil }
        return GregorianCalendar.unixTime(year: year, month: month, day: day, time: time)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850).
    private static func obsolete(_ text: String, now: Double) -> Int64? {
        var scan = DateScan(text)
        guard scan.name(longDays) != nil, scan.skip(", "), let day = scan.number(2), scan.skip("-"),
            let month = scan.month(), scan.skip("-"), let shortYear = scan.number(2), scan.skip(" "),
            let time = scan.time(), scan.skip(" GMT"), scan.rest.isEmpty
        else { return nil }
        // A simulated clock may show any time.
        let (now, secondsOfYear) = (Int64(min(max(now, -1e12), 1e12)), Int64(31_556_952))
        let thisYear = Int(1970 + now / secondsOfYear)
        return [100, 0, -100].lazy.compactMap { centuries in
            let year = thisYear - thisYear % 100 + centuries + shortYear
            return GregorianCalendar.unixTime(year: year, month: month, day: day, time: time)
        }.first { $0 <= now + 50 * secondsOfYear }
    }

    private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
}

extension GregorianCalendar {
    /// Seconds since 1970; nil for 30 February or 25 o'clock. A leap second becomes the first second of the next
    /// minute.
    package static func unixTime(year: Int, month: Int, day: Int, time: (hour: Int, minute: Int, second: Int)) -> Int64?
    {
        guard (1...12).contains(month), (1...days(inMonth: month, of: year)).contains(day), time.hour < 24,
            time.minute < 60, time.second <= 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return Int64(days) * 86_400 + Int64(time.hour * 3600 + time.minute * 60 + time.second)
    }
}
