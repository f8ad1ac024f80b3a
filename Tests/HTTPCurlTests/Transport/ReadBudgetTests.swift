import HTTPSupport

#if canImport(CLibcurl)
import HTTPMockServer
import Testing

@testable import HTTPCurl

struct ReadBudgetTests {
    /// The number of reads allowed in `step`, of a thousand, if each takes that long.
    private func reads(_ budget: inout ReadBudget, in step: UInt64, eachTaking microseconds: Int64) -> Int {
        var now = TimePoint.now
        for count in 0..<1000 {
            guard budget.mayRead(in: step, now: { now }) else { return count }
            now = now.advanced(by: .microseconds(microseconds))
        }
        return 1000
    }

    @Test func `a step reads for two milliseconds and a few reads more`() {
        var budget = ReadBudget()
        let count = reads(&budget, in: 1, eachTaking: 100)
        #expect((20...40).contains(count))
        let isDenied = !budget.mayRead(in: 1) { .now }
        #expect(isDenied, "until the next step")
    }

    @Test func `each step has its own budget`() {
        var budget = ReadBudget()
        let first = reads(&budget, in: 1, eachTaking: 500)
        let second = reads(&budget, in: 3, eachTaking: 500)
        #expect(first == second && first < 1000)
    }

    @Test func `a few reads are always allowed, without reading the clock`() {
        var budget = ReadBudget()
        var looks = 0
        for _ in 0..<7 {
            let mayRead = budget.mayRead(in: 1) {
                looks += 1
                return .now
            }
            #expect(mayRead)
        }
        #expect(looks == 0)
    }

    @Test func `reads that take no time are unlimited`() {
        var budget = ReadBudget()
        #expect(reads(&budget, in: 1, eachTaking: 0) == 1000)
    }
}
#endif
