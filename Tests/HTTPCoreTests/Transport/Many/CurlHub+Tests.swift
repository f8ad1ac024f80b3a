#if canImport(CLibcurl)
@testable import HTTPCore

extension CurlHub {
    /// From looking at all to looking at what is ready, or back: as after many turns in which nothing moved, or everything.
    func changeOutlook() {
        let wasWide = looksAtAll
        while looksAtAll == wasWide { note(moved: wasWide ? 0 : 64, of: 64) }
    }
}
#endif
