@testable import HTTPTransfers
import HTTPCore
import HTTPSupport
import HTTPTesting
import TestSupport
import Testing

/// Renames the part of a call that goes on.
func plainly(_ path: String, _ rename: () throws(SystemError) -> Void) throws(SystemError) { try rename() }

/// The part of a file, and its version.
@Suite struct PartialFileTests {
    private let directory: ScratchDirectory

    init() throws { directory = try ScratchDirectory() }

    private func record(_ validator: String, url: String = "http://h/a") -> DownloadRecord {
        DownloadRecord(url: url, validator: validator, total: 10)
    }

    @Test func `it has as many bytes as were written, and the recorded version and URL`() throws {
        let part = try PartialFile(of: directory.file("a"))
        try part.begin(record("\"v1\""))
        try Array("abcde".utf8).withUnsafeBytes { try part.write($0) }
        #expect(try part.has(5, of: record("\"v1\"")))
        #expect(try part.has(4, of: record("\"v1\"")))
        #expect(try !part.has(6, of: record("\"v1\"")), "not so many")
        #expect(try !part.has(5, of: record("\"v2\"")), "another version")
        #expect(try !part.has(5, of: record("\"v1\"", url: "http://h/b")), "another URL")
        #expect(try !part.has(5, of: nil))
    }

    @Test func `one that was removed does not remove the next one`() throws {
        let part = try PartialFile(of: directory.file("a"))
        part.discard()
        let next = try PartialFile(of: directory.file("a"))
        try next.begin(record("\"v1\""))
        part.discard()
        #expect(directory.names == ["a.partial", "a.partial.json"])
    }

    @Test func `one that somebody removed is told from one that somebody replaced`() throws {
        let part = try PartialFile(of: directory.file("a"))
        part.discard()
        let removed = #expect(throws: BodyProblem.self) { try part.complete(replacing: true, by: plainly) }
        let first = String(describing: removed?.underlying)
        #expect(first.contains("it was removed during the download: try again"))
        _ = try directory.write("x".utf8, to: "a.partial")
        let replaced = #expect(throws: BodyProblem.self) { try part.complete(replacing: true, by: plainly) }
        let second = String(describing: replaced?.underlying)
        #expect(second.contains("another file took its place"))
        #expect(directory.names == ["a.partial"])
    }

    @Test(arguments: [false, true])
    func `nothing has its name, and nobody else can read it, before it is whole`(replacing: Bool) throws {
        let part = try PartialFile(of: directory.file("b"))
        try part.begin(record("\"v1\""))
        let name = try #require(FileName("a"))
        let path = try part.complete(as: name, in: directory.path, replacing: replacing, nil) {
            (_, rename) throws(SystemError) in
            #expect(directory.names == ["b.partial", "b.partial.json"])
            #expect((try? SystemCall.status(at: directory.file("b.partial")).get().permissions) == 0o600)
            try rename()
        }
        #expect(path == directory.file("a") && directory.names == ["a"])
        #expect(try SystemCall.status(at: path).get().permissions != 0o600)
    }

    @Test func `one whose call has ended takes no name`() throws {
        let part = try PartialFile(of: directory.file("b"))
        try part.begin(record("\"v1\""))
        let name = try #require(FileName("a"))
        _ = #expect(throws: BodyProblem.self) {
            try part.complete(as: name, in: directory.path, replacing: false, nil) {
                (_, _) throws(SystemError) in
                throw SystemError(code: ECANCELED)
            }
        }
        #expect(directory.names == ["b.partial", "b.partial.json"])
    }

    @Test func `one of a call that ends without a byte leaves no file`() throws {
        do { _ = try PartialFile(of: directory.file("a")) }
        #expect(directory.names.isEmpty)
        let first = try PartialFile(of: directory.file("a"))
        first.unlock()
        let second = try PartialFile(of: directory.file("a"))
        withExtendedLifetime(first) {}
        #expect(directory.names == ["a.partial"], "that of another call now")
        withExtendedLifetime(second) {}
    }

    @Test(.enabled(if: ScratchDirectory.showsOpenFiles))
    func `it is opened behind a call that is just being cancelled`() throws {
        let path = directory.file("a")
        let first = try PartialFile(of: path)
        let isOpen = Locked(false)
        let thread = TestThread { isOpen.withLock { $0 = (try? PartialFile(of: path)) != nil } }
        #expect(waited { directory.openFiles.count == 2 }, "it waits")
        first.unlock()
        thread.join()
        #expect(isOpen.withLock { $0 })
    }

    @Test func `one that others may have takes nothing any more`() throws {
        let part = try PartialFile(of: directory.file("a"))
        try part.begin(record("\"v1\""))
        part.unlock()
        let next = try PartialFile(of: directory.file("a"))
        try next.begin(record("\"v2\""))
        try Array("abc".utf8).withUnsafeBytes { try next.write($0) }
        // As a response does that comes after its cancellation.
        #expect(throws: BodyProblem.self) { try part.begin(record("\"v1\"")) }
        #expect(throws: BodyProblem.self) { try Array("x".utf8).withUnsafeBytes { try part.write($0) } }
        #expect(try next.record() == record("\"v2\"") && directory.read("a.partial") == Array("abc".utf8))
    }

    @Test func `starting over empties it, and continuing removes the bytes after the offset`() throws {
        let part = try PartialFile(of: directory.file("a"))
        try part.begin(record("\"v1\""))
        try Array("abcde".utf8).withUnsafeBytes { try part.write($0) }
        try part.resume(at: 3)
        try Array("X".utf8).withUnsafeBytes { try part.write($0) }
        #expect(try directory.read("a.partial") == Array("abcX".utf8))
        try part.begin(record("\"v2\""))
        #expect(part.size == 0)
        #expect(try part.record() == record("\"v2\""))
    }
}
