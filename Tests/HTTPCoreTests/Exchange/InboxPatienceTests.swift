#if canImport(CLibcurl)
import Testing

@testable import HTTPCore

@Suite struct InboxPatienceTests {
    private let soon = InboxPatience.soon
    private let late = InboxPatience.soon + .microseconds(1)

    @Test func `it looks once a call came soon after it fell asleep, and as long as that pays off`() {
        var patience = InboxPatience()
        #expect(!patience.looks)
        patience.noteWaking(after: late)
        #expect(!patience.looks)
        patience.noteWaking(after: soon)
        #expect(patience.looks)
        for time in [.microseconds(5), soon] { patience.noteLook(time, found: true) }
        #expect(patience.looks)
        patience.noteLook(InboxPatience.look, found: false)
        #expect(!patience.looks)
    }

    @Test func `a look that found a call, but only after somebody else had the processor, was in vain`() {
        var patience = InboxPatience()
        patience.noteWaking(after: soon)
        patience.noteLook(late, found: true)
        #expect(!patience.looks)
    }

    @Test func `each look in vain takes twice as many calls that come soon, up to a limit, and a good one none`() {
        var patience = InboxPatience()
        var needed: [Int] = []
        for _ in 0..<10 {
            var calls = 0
            while !patience.looks {
                patience.noteWaking(after: soon)
                calls += 1
            }
            needed.append(calls)
            patience.noteLook(late, found: false)
        }
        #expect(needed == [1, 2, 4, 8, 16, 32, 64, 128, 256, 256])
        while !patience.looks { patience.noteWaking(after: soon) }
        patience.noteLook(.zero, found: true)
        patience.noteLook(late, found: false)
        patience.noteWaking(after: soon)
        #expect(!patience.looks)
        patience.noteWaking(after: soon)
        #expect(patience.looks)
    }

    @Test func `those that come soon have to come in a row`() {
        var patience = InboxPatience()
        patience.noteWaking(after: soon)
        patience.noteLook(late, found: false)
        for _ in 0..<5 {
            patience.noteWaking(after: soon)
            patience.noteWaking(after: late)
        }
        #expect(!patience.looks)
    }
}
#endif
