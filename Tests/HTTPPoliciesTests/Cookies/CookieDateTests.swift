@testable import HTTPPolicies
import Foundation
import Testing

@Suite struct CookieDateTests {
    /// 1994-11-06T08:49:37Z.
    private static let instant = 784_111_777.0

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "6 nov 1994 8:49:37", "NOVEMBER/6/94@08:49:37z", "08:49:37 6 Nov 1994", "06 Nov 1994 08:49:37 +0200",
        "\t6;Nov;1994;8:49:37", "6th Nov 94AD 08:49:37pm", "1994 6 Nov 08:49:37 77",
    ])
    func `all forms that servers write mean the same moment`(text: String) {
        #expect(CookieDate.parse(text)?.timeIntervalSince1970 == Self.instant)
    }

    @Test(arguments: [
        ("1 Jan 70 0:0:0", 0.0), ("1 Jan 69 00:00:00", 3_124_224_000), ("31 Dec 99 23:59:59", 946_684_799),
        ("1 Jan 00 00:00:00", 946_684_800), ("29 Feb 2024 12:00:00", 1_709_208_000),
        ("1 Jan 1601 00:00:00", -11_644_473_600), ("31 Dec 9999 23:59:59", 253_402_300_799),
        ("1 Mar 1900 00:00:00", -2_203_891_200),
    ])
    func `years have their own century, or one by a rule`(text: String, seconds: Double) {
        #expect(CookieDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "0", "Thu", "6 Nov 1994", "Nov 1994 08:49:37", "6 1994 08:49:37", "6 Nov 08:49:37",
        "6 Nov 4 08:49:37",
        "31 Apr 2024 00:00:00", "29 Feb 2023 00:00:00", "29 Feb 1900 00:00:00", "32 Jan 2024 00:00:00",
        "0 Jan 2024 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 2024 24:00:00", "1 Jan 2024 00:60:00",
        "1 Jan 2024 00:00:60", "1 Jan 12024 00:00:00", "1 Jan 2024 00:00", "1 Jan 2024 000:00:00",
        "1 Jän 2024 00:00:00", "1 Jan 2024 1x:00:00",
    ])
    func `an invalid date gives none`(text: String) { #expect(CookieDate.parse(text) == nil) }

    @Test func `the first of each part counts`() {
        #expect(
            CookieDate.parse("6 Nov 1994 08:49:37 7 Dec 1995 09:50:38")?.timeIntervalSince1970 == Self.instant)
    }
}
