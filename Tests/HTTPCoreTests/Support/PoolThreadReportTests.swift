import HTTPTesting
import Testing

@testable import HTTPCore

/// Blocking calls where they block every task.
@Suite struct PoolThreadReportTests {
    #if DEBUG
    @Test func `a thread of the pool is told from every other`() async {
        #expect(await Task.detached { PoolThreadReport.isPoolThread }.value)
        #expect(await MainActor.run { !PoolThreadReport.isPoolThread })
        let isOther = Locked(true)
        TestThread { isOther.withLock { $0 = PoolThreadReport.isPoolThread } }.join()
        #expect(!isOther.withLock { $0 })
    }

    @Test func `a call is reported once for each method and host, without secrets`() throws {
        let draft = MutableRequest.get("https://report.example/a?token=S3CR3T")
        let text = try #require(PoolThreadReport.text(try Request(draft), isTest: false))
        #expect(text.contains("GET https://report.example/a?token=<redacted> blocks a thread"), "\(text)")
        #expect(text.contains("import HTTPAsync") && !text.contains("S3CR3T"))
        #expect(PoolThreadReport.text(try Request(.get("https://report.example/b")), isTest: false) == nil)
        #expect(PoolThreadReport.text(try Request(.put("https://report.example/b")), isTest: false) != nil)
    }

    @Test func `a test may block`() throws {
        #expect(PoolThreadReport.text(try Request(.get("https://test.example/"))) == nil)
    }
    #endif
}
