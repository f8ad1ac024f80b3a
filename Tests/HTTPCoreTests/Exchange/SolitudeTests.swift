import Testing

@testable import HTTPCore

@Suite struct SolitudeTests {
    private func solitude(after calls: Int) -> Solitude {
        var solitude = Solitude()
        for _ in 0..<calls { solitude.note(isAlone: true) }
        return solitude
    }

    @Test func `a call is begun where it is handed in once enough in a row were alone, and it is, too`() {
        #expect(!solitude(after: Solitude.enough).mayBegin)
        #expect(solitude(after: Solitude.enough + 1).mayBegin)
        #expect(solitude(after: 1000).mayBegin)
    }

    @Test func `calls that came together begin the count anew`() {
        var solitude = solitude(after: 1000)
        solitude.note(isAlone: false)
        #expect(!solitude.mayBegin)
        for _ in 0..<Solitude.enough { solitude.note(isAlone: true) }
        #expect(!solitude.mayBegin)
        solitude.note(isAlone: true)
        #expect(solitude.mayBegin)
    }

    @Test func `the answers to some are not looked for, the fewer the longer all were alone`() {
        let some = (0...600).filter { solitude(after: $0).mayBegin && !solitude(after: $0).mayLook }
        #expect(some == [32, 64, 128, 256, 384, 512])
        #expect(!solitude(after: Solitude.enough).mayLook)
    }
}
