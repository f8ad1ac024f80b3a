import Testing

@testable import HTTPCore

@Suite struct PatienceTests {
    private let soon = Patience.soon
    private let late = TimeSpan(nanoseconds: Patience.soon.nanoseconds + 1)

    @Test func `it looks once something came soon after it fell asleep, and as long as that pays off`() {
        var patience = Patience()
        #expect(!patience.mayLook)
        patience.noteWaking(after: late)
        #expect(!patience.mayLook)
        patience.noteWaking(after: soon)
        #expect(patience.mayLook)
        for time in [.microseconds(5), soon] { patience.noteLook(time, found: true) }
        #expect(patience.mayLook)
        patience.noteLook(Patience.longestLook, found: false)
        #expect(!patience.mayLook)
    }

    @Test func `a look that found something, but only after somebody else had the processor, was in vain`() {
        var patience = Patience()
        patience.noteWaking(after: soon)
        patience.noteLook(late, found: true)
        #expect(!patience.mayLook)
    }

    @Test func `each look in vain takes twice as many that come soon, up to a limit, and the first only one`() {
        var patience = Patience()
        var needed: [Int] = []
        for _ in 0..<10 {
            var chances = 0
            while !patience.mayLook {
                patience.noteWaking(after: soon)
                chances += 1
            }
            needed.append(chances)
            patience.noteLook(late, found: false)
        }
        #expect(needed == [1, 1, 2, 4, 8, 16, 32, 64, 128, 128])
        while !patience.mayLook { patience.noteWaking(after: soon) }
        patience.noteLook(.zero, found: true)
        patience.noteLook(late, found: false)
        #expect(!patience.mayLook)
        patience.noteWaking(after: soon)
        #expect(patience.mayLook)
    }

    @Test func `those that come soon have to come in a row`() {
        var patience = Patience()
        for _ in 0..<2 {
            patience.noteWaking(after: soon)
            patience.noteLook(late, found: false)
        }
        for _ in 0..<5 {
            patience.noteWaking(after: soon)
            patience.noteWaking(after: late)
        }
        #expect(!patience.mayLook)
    }
}
