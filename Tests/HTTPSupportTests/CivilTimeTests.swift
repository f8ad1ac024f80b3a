import HTTPFoundation
import HTTPSupport
import Testing

@Suite struct CivilTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        (-1, "1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
        (951_827_696, "2000-02-29T12:34:56Z", "Tue, 29 Feb 2000 12:34:56 GMT"),
        (4_107_542_400, "2100-03-01T00:00:00Z", "Mon, 01 Mar 2100 00:00:00 GMT"),
        (253_402_300_799, "9999-12-31T23:59:59Z", "Fri, 31 Dec 9999 23:59:59 GMT"),
        (-62_167_219_200, "0000-01-01T00:00:00Z", "Sat, 01 Jan 0000 00:00:00 GMT"),
    ])
    func `known moments`(seconds: Double, iso: String, http: String) throws {
        let time = try #require(CivilTime(Date(timeIntervalSince1970: seconds)))
        #expect(time.iso8601 == iso)
        #expect(time.httpDate == http)
    }

    @Test(arguments: [253_402_300_800, -62_167_219_201, .nan, .infinity, -.infinity, 1e300])
    func `a moment outside the years 0 to 9999 gives nil`(seconds: Double) {
        #expect(CivilTime(Date(timeIntervalSince1970: seconds)) == nil)
    }

    @Test func `every day of the calendar agrees with Foundation`() throws {
        var differing = 0
        for day in stride(from: -719_528, to: 2_932_896, by: 97) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 45_296)
            let time = try #require(CivilTime(date))
            if date.timeIntervalSince1970 > -12_219_292_800, time.iso8601 != date.formatted(.iso8601) { differing += 1 }
        }
        #expect(differing == 0)
    }
}
