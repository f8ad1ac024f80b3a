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
        #expect(outlook(after: 1000, moved: 30, of: 64).isWide)
        #expect(outlook(after: 1000, moved: 1, of: 1).isWide)
    }

    @Test func `where few of many move, only those that are ready are`() {
        #expect(outlook(after: 1, moved: 64, of: 64).isWide)
        #expect(!outlook(after: 100, moved: 1, of: 64).isWide)
        #expect(!outlook(after: 100, moved: 0, of: 10_000).isWide)
        let busy = outlook(after: 100, moved: 64, of: 64)
        #expect(outlook(after: 5, moved: 1, of: 64, from: busy).isWide)
        #expect(!outlook(after: 40, moved: 1, of: 64, from: busy).isWide)
    }

    @Test func `that lasts until more than half of them move again`() {
        let narrow = outlook(after: 100, moved: 1, of: 64)
        #expect(!outlook(after: 1000, moved: 30, of: 64, from: narrow).isWide)
        #expect(outlook(after: 100, moved: 40, of: 64, from: narrow).isWide)
    }

    @Test func `turns without transfers change nothing`() {
        #expect(outlook(after: 100, moved: 0, of: 0).isWide)
        let narrow = outlook(after: 100, moved: 1, of: 64)
        #expect(!outlook(after: 1000, moved: 0, of: 0, from: narrow).isWide)
    }
}
#endif
