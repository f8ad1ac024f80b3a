import Foundation
import Testing

/// The tests that SECURITY.md refers to exist.
struct SecurityPageTests {
    private let package = URL(filePath: #filePath).appending(path: "../../../..").standardized

    @Test func `each test that the page names exists`() throws {
        let page = try String(contentsOf: package.appending(path: "SECURITY.md"), encoding: .utf8)
        let named = Set(page.matches(of: /`([A-Za-z0-9]+Tests)`/).map { String($0.1) })
        let files = FileManager.default.enumerator(
            at: package.appending(path: "Tests"), includingPropertiesForKeys: nil)
        var existing: Set<String> = []
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let name = file.deletingPathExtension().lastPathComponent
            existing.insert(name.hasSuffix("+Wire") ? String(name.dropLast(5)) : name)
        }
        #expect(named.count > 20)
        #expect(named.subtracting(existing).isEmpty)
    }

    @Test func `each row names a test`() throws {
        let page = try String(contentsOf: package.appending(path: "SECURITY.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasSuffix("| tests |") }
        #expect(rows.count > 15)
        #expect(rows.allSatisfy { $0.contains("Tests`") })
    }
}
