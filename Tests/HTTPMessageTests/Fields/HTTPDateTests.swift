import Testing

import HTTPCore

@Suite struct HTTPDateTests {
    /// 6 November 1994, 08:49:37: the example of RFC 9110 §5.6.7.
    private let example: Int64 = 784_111_777

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `all three forms of the standard mean the same moment`(_ text: String) {
        #expect(HTTPDate(text, now: 1_700_000_000)?.unixTime == example)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Mon Jan 15 10:00:00 2035", 2_052_468_000),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
    func `leap days, leap seconds and far years are counted`(_ text: String, _ seconds: Int64) {
        #expect(HTTPDate(text, now: 1_700_000_000)?.unixTime == seconds)
    }

    @Test func `a two-digit year is at most fifty years ahead`() {
        let now = 1_700_000_000.0  // 2023
        #expect(HTTPDate("Sunday, 06-Nov-73 00:00:00 GMT", now: now)?.unixTime == 3_277_152_000)
        #expect(HTTPDate("Sunday, 06-Nov-74 00:00:00 GMT", now: now)?.unixTime == 152_928_000)
        #expect(HTTPDate("Sunday, 06-Nov-23 00:00:00 GMT", now: now)?.unixTime == 1_699_228_800)
    }

    @Test(arguments: [
        // 15 November 2024.
        ("Monday, 30-Dec-74 15:38:08 GMT", 1_731_628_800.0, 157_649_888),
        ("Thursday, 15-Nov-74 00:00:00 GMT", 1_731_628_800, 3_309_465_600),
        // 2060: 2100 has no 29 February.
        ("Tuesday, 29-Feb-00 00:00:00 GMT", 2_840_140_800, 951_782_400),
    ])
    func `a moment more than fifty years ahead is one of the past`(_ text: String, _ now: Double, _ seconds: Int64) {
        #expect(HTTPDate(text, now: now)?.unixTime == seconds)
    }

    @Test(arguments: [
        "", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Xxx 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
    ])
    func `an invalid date is nil`(_ text: String) {
        #expect(HTTPDate(text, now: 1_700_000_000) == nil)
    }
}
