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

    @Test func `the answer to one in so many is not looked for`() {
        let looked = (0...3 * Solitude.probe).filter { solitude(after: $0).mayLook }
        let expected = (Solitude.enough + 1...3 * Solitude.probe).filter { !$0.isMultiple(of: Solitude.probe) }
        #expect(looked == expected)
    }
}
