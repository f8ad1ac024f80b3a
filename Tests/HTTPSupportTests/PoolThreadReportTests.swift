import Foundation
import HTTPCore
import HTTPTesting
import Testing

@testable import HTTPSupport

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

    @Test func `a call is reported once for each place, without secrets`() throws {
        let request = try Request(.get("https://report.example/a?token=S3CR3T"))
        let place = CallSite(address: 1, function: "Notes.load() -> ()")
        let text = try #require(PoolThreadReport.text("\(request)", at: place, isTest: false))
        #expect(
            text.contains("GET https://report.example/a?token=<redacted> in Notes.load() -> () blocks a thread"),
            "\(text)")
        #expect(text.contains("import HTTPAsync") && !text.contains("S3CR3T"))
        #expect(PoolThreadReport.text("another", at: place, isTest: false) == nil)
        let other = CallSite(address: 2, function: place.function)
        #expect(PoolThreadReport.text("\(request)", at: other, isTest: false) != nil, "the next line of the function")
        #expect(PoolThreadReport.text("GET somewhere", at: nil, isTest: false) != nil, "of an unknown place")
        #expect(PoolThreadReport.text("GET somewhere", at: nil, isTest: false) == nil)
    }

    @Test func `a test may block`() throws {
        #expect(PoolThreadReport.text("GET https://test.example/", at: nil) == nil)
    }

    @Test func `the place of a call is the function that made it`() throws {
        let site = try #require([1].map { _ in CallSite(in: CallSite.stack) }.first ?? nil)
        #expect(site.function.contains("in HTTPSupportTests.PoolThreadReportTests."), "\(site)")
    }

    @Test func `the modules that are passed over are those of the package`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let modules = try FileManager.default.contentsOfDirectory(atPath: sources.path).map { Substring($0) }
        #expect(Set(modules).subtracting(["CLibcurl"]).union(["Swift", "_Concurrency"]) == CallSite.ownModules)
    }

    @Test(arguments: [
        ("Notes.Store.load() -> ()", "Notes"), ("static Notes.Store.load(HTTPCore.Request) -> ()", "Notes"),
        ("closure #1 (Swift.Int) -> () in closure #2 () -> () in Notes.load() -> ()", "Notes"),
        ("(extension in Notes):HTTPCore.HTTPClient.load() -> ()", "Notes"),
        ("static (extension in Notes):HTTPCore.Request.made.getter : HTTPCore.Request", "Notes"),
        ("(extension in HTTPCore):Swift.Result.init<A where A: Notes.Kind>() -> ()", "HTTPCore"),
        ("implicit closure #1 () throws(HTTPCore.HTTPError) -> () in HTTPCore.HTTPClient.send() -> ()", "HTTPCore"),
        (
            "protocol witness for A.B.c() in conformance HTTPCurl.CurlTransport : HTTPCore.HTTPClient in HTTPCurl",
            "HTTPCurl"
        ),
        ("one-time initialization function for shared", "Swift"), ("HTTPCoreTests.load()", "HTTPCoreTests"),
        ("reabstraction thunk helper from @escaping @callee_guaranteed () -> ()", "Swift"),
        ("closure #1 () -> () in Notes.`a call of (two in one`() -> ()", "Notes"),
        ("default argument 0 of Notes.(load in _AB69)(Swift.Int) -> ()", "Notes"),
        ("closure #1 () -> () in variable initialization expression of Notes.Store.load : () -> ()", "Notes"),
    ])
    func `a function's name says of which module it is`(name: String, module: String) {
        #expect(CallSite.module(of: name) == module[...])
    }

    @Test func `a private function is named without its file`() {
        let name = "closure #1 () -> () in Notes.(Store in _AB69).(load in _AB69)() -> (Swift.Int, (Notes.Key in _0F))"
        #expect(
            CallSite.withoutFiles(name) == "closure #1 () -> () in Notes.Store.load() -> (Swift.Int, Notes.Key)")
        #expect(CallSite.withoutFiles("Notes.load() -> ()") == "Notes.load() -> ()")
    }
    #endif
}
