#if canImport(CLibcurl)
import Testing

@testable import HTTPCore

@Suite struct CurlOutlookTests {
    private func outlook(after turns: Int, moved: Int, of active: Int, from start: CurlOutlook = CurlOutlook())
        -> CurlOutlook
    {
        var outlook = start
        for _ in 0..<turns { outlook.note(moved: moved, of: active) }
        return outlook
    }

    @Test func `all transfers are looked at while most of them move`() {
        #expect(CurlOutlook().isWide)
        #expect(outlook(after: 1000, moved: 64, of: 64).isWide)
        #expect(outlook(after: 1000, moved: 17, of: 64).isWide)
        #expect(outlook(after: 1000, moved: 1, of: 1).isWide)
    }

    @Test func `where few of many move, only those that are ready are`() {
        #expect(outlook(after: 1, moved: 64, of: 64).isWide)
        #expect(!outlook(after: 1000, moved: 15, of: 64).isWide)
        #expect(!outlook(after: 100, moved: 1, of: 64).isWide)
        #expect(!outlook(after: 100, moved: 0, of: 10_000).isWide)
        let busy = outlook(after: 100, moved: 64, of: 64)
        #expect(outlook(after: 15, moved: 1, of: 64, from: busy).isWide)
        #expect(!outlook(after: 30, moved: 1, of: 64, from: busy).isWide)
    }

    @Test func `that lasts until more than half of them move again`() {
        let narrow = outlook(after: 100, moved: 1, of: 64)
        #expect(!outlook(after: 1000, moved: 31, of: 64, from: narrow).isWide)
        #expect(outlook(after: 1000, moved: 34, of: 64, from: narrow).isWide)
    }

    @Test func `one that is fixed stays as it was`() {
        #expect(outlook(after: 1000, moved: 0, of: 64, from: CurlOutlook(isFixed: true)).isWide)
        #expect(!outlook(after: 1000, moved: 64, of: 64, from: CurlOutlook(isWide: false, isFixed: true)).isWide)
    }

    @Test(arguments: [(UInt32(0x080901), true), (0x080A00, false), (0x080C01, false), (0x080D00, true)])
    func `from 8_10 to 8_12 libcurl cannot be looked at in both ways`(number: UInt32, canBe: Bool) {
        let library = CurlLibrary(version: "", number: number, features: 0, tlsBackend: "")
        #expect(library.keepsNotesOfSockets == canBe)
    }

    @Test func `turns without transfers change nothing`() {
        #expect(outlook(after: 100, moved: 0, of: 0).isWide)
        let narrow = outlook(after: 100, moved: 1, of: 64)
        #expect(!outlook(after: 1000, moved: 0, of: 0, from: narrow).isWide)
    }
}
#endif
