import HTTPSupport
import Foundation
import HTTPTesting
import TestSupport
import Testing

import HTTPCore

/// Links and permissions at the place of a written file.
@Suite struct FilePlaceTests {
    private let directory: ScratchDirectory

    init() throws { directory = try ScratchDirectory() }

    private func makeLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: directory.file(name), withDestinationPath: target)
    }

    private func isLink(_ name: String) -> Bool {
        (try? SystemCall.status(at: directory.file(name)).get().isLink) == true
    }

    private func permissions(_ name: String) throws -> mode_t {
        try SystemCall.status(at: directory.file(name)).get().permissions
    }

    private func replace(_ name: String, with text: String = "new") throws {
        let file = try FileReplacement(of: directory.file(name))
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
        try file.finish()
    }

    @Test func `a link to a missing file stays, and the file is created`() throws {
        try FileManager.default.createDirectory(atPath: directory.file("d"), withIntermediateDirectories: true)
        try makeLink("relative", to: "d/a")
        try makeLink("absolute", to: directory.file("b"))
        try makeLink("chain", to: "relative-2")
        try makeLink("relative-2", to: "d/../c")
        for name in ["relative", "absolute", "chain"] { try replace(name, with: name) }
        #expect(["relative", "absolute", "chain", "relative-2"].allSatisfy(isLink))
        #expect(try directory.read("d/a") == Array("relative".utf8))
        #expect(try directory.read("b") == Array("absolute".utf8))
        #expect(try directory.read("c") == Array("chain".utf8))
    }

    @Test func `a link into a missing directory, to a special file, or in a circle is refused and stays`() throws {
        try makeLink("nowhere", to: "none/a")
        try makeLink("directory", to: directory.path)
        try makeLink("device", to: "/dev/null")
        try makeLink("slash", to: "none/")
        try makeLink("one", to: "two")
        try makeLink("two", to: "one")
        let before = directory.names
        for name in ["nowhere", "directory", "device", "slash", "one"] {
            let problem = #expect(throws: BodyProblem.self, "\(name)") { try replace(name) }
            #expect(problem?.reason == .unwritableFile && problem?.path == directory.file(name), "\(name)")
            #expect(isLink(name))
        }
        #expect(directory.names == before)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a link somebody else's"))
    func `in a directory shared by all users, a link of another user is not followed`() throws {
        _ = try directory.write("old".utf8, to: "target")
        try makeLink("link", to: "target")
        #expect(lchown(directory.file("link"), 54_321, 54_321) == 0)
        try replace("link", with: "in a directory of one's own")
        #expect(chmod(directory.path, 0o1777) == 0)
        let problem = #expect(throws: BodyProblem.self) { try replace("link") }
        let words = try #require(problem?.underlying)
        #expect("\(words)".contains("belongs to user 54321"))
        #expect(try directory.read("target") == Array("in a directory of one's own".utf8))
        // The directory's owner could replace the file itself, too.
        #expect(chown(directory.path, 54_321, 54_321) == 0)
        try replace("link")
        #expect(try directory.read("target") == Array("new".utf8))
    }

    @Test func `a replaced file keeps its permissions, and no other user sees the new one before`() throws {
        for mode in [0o600, 0o640, 0o666, 0o755] as [mode_t] {
            let path = try directory.write("old".utf8, to: "a")
            #expect(chmod(path, mode) == 0)
            let file = try FileReplacement(of: path)
            let temporary = try #require(directory.names.first { $0 != "a" })
            #expect(try permissions(temporary) == 0o600)
            try file.finish()
            #expect(try permissions("a") == mode)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a file somebody else's"))
    func `another user's file gives no more permissions than it has, and no more than a new one`() throws {
        let path = try directory.write("old".utf8, to: "a")
        for (old, new) in [(0o600, 0o600), (0o777, 0o666)] as [(mode_t, mode_t)] {
            #expect(chmod(path, old) == 0 && chown(path, 54_321, 54_321) == 0)
            try replace("a")
            #expect(try permissions("a") == new & permissionsOfNewFile())
        }
    }

    @Test func `a file that others could read is not reused as a private one`() throws {
        let left = try directory.write("left".utf8, to: "a.new")
        #expect(link(left, directory.file("other")) == 0)
        try makeLink("a", to: "other")
        let file = try FileReplacement(ofPrivate: directory.file("a"), through: left)
        try Array("secret".utf8).withUnsafeBytes { try file.write($0) }
        try file.finish()
        #expect(try directory.read("other") == Array("left".utf8))
        #expect(try directory.read("a") == Array("secret".utf8))
        #expect(try permissions("a") == 0o600 && directory.names == ["a", "other"])
    }

    @Test func `a path with a NUL names no file, not even that of its prefix`() throws {
        let path = try directory.write("old".utf8, to: "a")
        let problem = #expect(throws: BodyProblem.self) { try FileReplacement(of: path + "\0b") }
        #expect(problem?.reason == .unwritableFile && problem?.path == path + "\0b")
        #expect(throws: BodyProblem.self) { try FileReader(path + "\0b") }
        #expect(SystemCall.open(path + "\0", O_RDONLY) == .failure(SystemError(code: EINVAL)))
        #expect(directory.names == ["a"])
    }
}
