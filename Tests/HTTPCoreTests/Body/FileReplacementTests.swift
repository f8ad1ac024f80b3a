import HTTPSupport
import Foundation
import HTTPTesting
import TestSupport
import Testing

import HTTPCore

@Suite struct FileReplacementTests {
    private func write(_ text: String, to file: FileReplacement) throws {
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    }

    @Test func `before it is finished there is no file of that name`() throws {
        let directory = try ScratchDirectory()
        let file = try FileReplacement(of: directory.file("a"))
        try write("whole", to: file)
        #expect(!directory.names.contains("a") && directory.names.count == 1)
        try file.finish()
        #expect(directory.names == ["a"])
        #expect(try directory.read("a") == Array("whole".utf8))
    }

    @Test func `an older file stays unchanged until then`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write("old".utf8, to: "a")
        let file = try FileReplacement(of: path)
        try write("new", to: file)
        #expect(try directory.read("a") == Array("old".utf8))
        file.abandon()
        #expect(directory.names == ["a"])
        #expect(try directory.read("a") == Array("old".utf8))
    }

    @Test func `an unfinished one leaves nothing behind`() throws {
        let directory = try ScratchDirectory()
        do { try write("half", to: try FileReplacement(of: directory.file("a"))) }
        #expect(directory.names.isEmpty)
    }

    @Test func `the file of a killed process is removed by the next one, and that of a running one is not`() throws {
        let directory = try ScratchDirectory()
        let running = try FileReplacement(of: directory.file("a"))
        let name = try #require(directory.names.first)
        let beside = try FileReplacement(of: directory.file("a"))
        #expect(directory.names.count == 2 && directory.names.contains(name), "it is locked")
        try write("beside", to: beside)
        try beside.finish()
        try write("running", to: running)
        try running.finish()
        #expect(directory.names == ["a"])
        #expect(try directory.read("a") == Array("running".utf8))
        // As a process leaves it: without a lock.
        _ = try directory.write("half".utf8, to: name)
        let next = try FileReplacement(of: directory.file("a"))
        #expect(directory.names.sorted() == [name, "a"].sorted())
        #expect(try directory.read(name).isEmpty)
        try next.finish()
        #expect(directory.names == ["a"])
    }

    @Test func `a link stays a link, and its target is replaced`() throws {
        let directory = try ScratchDirectory()
        _ = try directory.write("old".utf8, to: "target")
        try FileManager.default.createSymbolicLink(atPath: directory.file("link"), withDestinationPath: "target")
        let file = try FileReplacement(of: directory.file("link"))
        try write("new", to: file)
        try file.finish()
        #expect(try directory.read("target") == Array("new".utf8))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: directory.file("link")) == "target")
    }

    @Test func `permissions are those that the umask allows`() throws {
        let directory = try ScratchDirectory()
        let file = try FileReplacement(of: directory.file("a"))
        try file.finish()
        #expect(try SystemCall.status(at: directory.file("a")).get().permissions == permissionsOfNewFile())
    }

    @Test func `an impossible file is refused with its path`() throws {
        let directory = try ScratchDirectory()
        for path in [directory.path, directory.path + "/", "/dev/null", "", directory.file("none/a")] {
            let error = #expect(throws: BodyProblem.self) { try FileReplacement(of: path) }
            #expect(error?.reason == .unwritableFile && error?.path == path, "\(path)")
        }
        #expect(directory.names.isEmpty)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))) func `a full disk is told from others`()
        throws
    {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let error = #expect(throws: SystemError.self) {
            try Array("x".utf8).withUnsafeBytes { try FileReplacement.write($0, to: full.fileDescriptor) }
        }
        let problem = FileReplacement.problem(try #require(error), "/some/file")
        #expect(problem.reason == .diskFull && problem.path == "/some/file")
        #expect(error?.description == "No space left on device")
        #expect(FileReplacement.problem(SystemError(code: 13), "/f").reason == .unwritableFile)
    }
}
