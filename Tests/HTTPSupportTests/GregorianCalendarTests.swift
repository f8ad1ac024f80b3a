import HTTPSupport
import Foundation
import Testing

@Suite struct GregorianCalendarTests {
    @Test func `every day from year 0 to 2400 follows the one before it`() {
        var day = GregorianCalendar.daysSince1970(year: 0, month: 1, day: 1)
        #expect(day == -719_528)
        for year in 0...2400 {
            for month in 1...12 {
                for dayOfMonth in 1...GregorianCalendar.days(inMonth: month, of: year) {
                    guard GregorianCalendar.daysSince1970(year: year, month: month, day: dayOfMonth) == day,
                        GregorianCalendar.date(daysSince1970: day) == (year, month, dayOfMonth)
                    else {
                        Issue.record("\(year)-\(month)-\(dayOfMonth) is not day \(day)")
                        return
                    }
                    day += 1
                }
            }
        }
    }

    @Test(arguments: [(1970, 1, 1, 0), (2000, 2, 29, 11_016), (2026, 3, 1, 20_513), (9999, 12, 31, 2_932_896)])
    func `known days`(_ year: Int, _ month: Int, _ day: Int, _ days: Int) {
        #expect(GregorianCalendar.daysSince1970(year: year, month: month, day: day) == days)
        #expect(GregorianCalendar.date(daysSince1970: days) == (year, month, day))
    }
}
