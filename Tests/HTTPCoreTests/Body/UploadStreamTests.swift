import TestSupport
import Foundation
import HTTPTesting
import Testing

import HTTPCore

/// Sources held to their length, without a connection.
@Suite struct UploadStreamTests {
    /// All of `body`, read with a buffer of `size` bytes.
    private func read(_ body: RequestBody, size: Int = 5) throws -> [UInt8] {
        var stream = try body.open()
        var all: [UInt8] = []
        var room = [UInt8](repeating: 0, count: size)
        while true {
            let count = try room.withUnsafeMutableBytes { try stream.give(into: $0) }
            if count == 0 { break }
            all += room[..<count]
        }
        #expect(stream.isFinished)
        return all
    }

    private func problem(_ body: RequestBody, size: Int = 5) -> BodyFailure.Reason? {
        do { _ = try read(body, size: size) } catch { return (error as? BodyProblem)?.reason }
        return nil
    }

    private func chunks(_ sizes: Int..., length: Int64?) -> RequestBody {
        .stream(length: length) { .chunks(sizes.map { Data(repeating: 7, count: $0) }) }
    }

    @Test func `every kind of body supplies its bytes, anew each time`() throws {
        let directory = try ScratchDirectory()
        let bytes = Array("0123456789abc".utf8)
        let path = try directory.write(bytes, to: "a")
        let bodies: [RequestBody] = [
            .data(Data(bytes)), .file(path), .stream { .data(Data(bytes)) }, .stream(length: 13) { .data(Data(bytes)) },
            .stream { .chunks([Data(), Data(bytes[..<6]), Data(), Data(bytes[6...])]) },
        ]
        for body in bodies {
            for size in [1, 5, 13, 14, 100] {
                #expect(try read(body, size: size) == bytes)
            }
            #expect(body.isReplayable)
        }
        #expect(try read(.empty).isEmpty)
    }

    @Test func `the announced length is enforced, and errors have both numbers`() {
        #expect(problem(chunks(3, 3, length: 6)) == nil)
        #expect(problem(chunks(3, 3, length: 7)) == .sourceTooShort(expected: 7, actual: 6))
        #expect(problem(chunks(3, 3, length: 5)) == .sourceTooLong(expected: 5, atLeast: 6))
        #expect(problem(chunks(3, 3, length: 3)) == .sourceTooLong(expected: 3, atLeast: 6))
        #expect(problem(chunks(length: 1)) == .sourceTooShort(expected: 1, actual: 0))
        #expect(problem(chunks(1, length: 0)) == .sourceTooLong(expected: 0, atLeast: 1))
        #expect(problem(chunks(length: 0)) == nil)
        #expect(problem(chunks(3, 3, length: nil)) == nil)
    }

    @Test func `the last bytes of a source that is too long are withheld`() throws {
        var stream = try chunks(4, 4, length: 6).open()
        var room = [UInt8](repeating: 0, count: 4)
        #expect(try room.withUnsafeMutableBytes { try stream.give(into: $0) } == 4)
        #expect(throws: BodyProblem.self) { try room.withUnsafeMutableBytes { try stream.give(into: $0) } }
    }

    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/self/status"), "needs /proc"))
    func `a file whose content is longer than the size that the system tells is never said to keep its size`() throws {
        let error = #expect(throws: BodyProblem.self) { try RequestBody.file("/proc/self/status").open() }
        guard case .changedFile(expected: 0, let actual)? = error?.reason else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(actual > 0)
    }

    @Test func `a file that shrinks or grows while it is read is detected`() throws {
        let directory = try ScratchDirectory()
        for newSize in [4, 12] {
            let path = try directory.write(Array(repeating: 1, count: 8), to: "a")
            var stream = try RequestBody.file(path).open()
            _ = try directory.write(Array(repeating: 1, count: newSize), to: "b")
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.truncate(atOffset: UInt64(newSize))
            var room = [UInt8](repeating: 0, count: 8)
            let error = #expect(throws: BodyProblem.self) {
                while try room.withUnsafeMutableBytes({ try stream.give(into: $0) }) > 0 {}
            }
            #expect(error?.reason == .changedFile(expected: 8, actual: Int64(newSize)))
            #expect(error?.path == path)
        }
    }

    @Test func `anything but a readable regular file is named, with the system's message`() throws {
        let directory = try ScratchDirectory()
        for (path, words) in [
            (directory.file("none"), "No such file or directory"), (directory.path, "not a regular file"),
            ("/dev/null", "not a regular file"),
        ] {
            let error = #expect(throws: BodyProblem.self) { try RequestBody.file(path).open() }
            #expect(error?.reason == .unreadableFile && error?.path == path)
            #expect(error?.underlying.map { "\($0)" }?.contains(words) == true)
        }
    }

    @Test func `a source that returns an impossible count is refused`() {
        for count in [6, -1] {
            #expect(problem(.stream { BodySource { _ in count } }, size: 5) == .source)
        }
    }

    @Test func `an error of the source is kept`() throws {
        let body = RequestBody.stream { BodySource { _ in throw Refusal("no more") } }
        let error = #expect(throws: BodyProblem.self) { try read(body) }
        #expect(error?.reason == .source && error?.underlying as? Refusal == Refusal("no more"))
        let unmade = RequestBody.stream { throw Refusal("not today") }
        #expect(problem(unmade) == .source)
    }

    @Test func `a single-use body opens once`() throws {
        let body = RequestBody.stream(replayable: false) { .data(Data([1])) }
        #expect(!body.isReplayable)
        #expect(try read(body) == [1])
        #expect(problem(body) == .notReplayable)
    }

    @Test func `a pipe is read to its end`() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("from a pipe".utf8))
        try pipe.fileHandleForWriting.close()
        let number = pipe.fileHandleForReading.fileDescriptor
        #expect(
            String(decoding: try read(.stream(replayable: false) { .descriptor(number) }), as: UTF8.self)
                == "from a pipe")
    }

    @Test func `a pipe that does not block is waited for`() throws {
        let pipe = Pipe()
        let number = pipe.fileHandleForReading.fileDescriptor
        #expect(fcntl(number, F_SETFL, O_NONBLOCK) == 0)
        let body = RequestBody.stream(replayable: false) {
            Thread.detachNewThread {
                for part in ["late", "r"] { try? pipe.fileHandleForWriting.write(contentsOf: Data(part.utf8)) }
                try? pipe.fileHandleForWriting.close()
            }
            return .descriptor(number)
        }
        #expect(String(decoding: try read(body), as: UTF8.self) == "later")
    }

    @Test func `bodies know their count, and are equal to their copies`() {
        let stream = RequestBody.stream(length: 3) { .data(Data([1, 2, 3])) }
        #expect(stream.length == 3 && chunks(1, length: nil).length == nil)
        #expect(RequestBody.file("/x").length == nil && !RequestBody.file("/x").isEmpty)
        #expect(stream == stream && stream != .stream(length: 3) { .data(Data([1, 2, 3])) })
    }
}
