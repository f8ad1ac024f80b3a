import Foundation
import HTTPCore
import HTTPCurl
import Testing

/// Checks docs/parity.md, which `make parity` writes.
@Suite struct ParityTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/parity.md")
    private static let isWriting = ProcessInfo.processInfo.environment["STRAIGHTLINE_PARITY"] != nil

    @Test(.enabled(if: isWriting, "make parity runs this one")) func `the page is written from a run`() throws {
        let table = ParityTable(running: Engines.all)
        let made = table.page(madeOn: "\(Self.platform), libcurl \(CurlTransport.engineVersion)")
        try Data(made.utf8).write(to: Self.page)
    }

    #if canImport(FoundationNetworking)
    @Test(.enabled(if: !isWriting)) func `the page matches the declarations of the engines`() throws {
        let written = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = written.filter { $0.hasPrefix("| ") }.dropFirst(2)
        let expected = ParityTable(expecting: Engines.all).lines
        #expect(Array(rows) == expected, "docs/parity.md is out of date: make parity")
    }
    #endif

    private static var platform: String {
        #if canImport(FoundationNetworking)
        "Linux"
        #else
        "an Apple system"
        #endif
    }
}
