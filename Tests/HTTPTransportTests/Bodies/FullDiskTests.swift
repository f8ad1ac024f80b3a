import TestSupport
import Foundation
import HTTPMockServer
import Testing

/// A full disk: a file system of 1 MiB in memory, visible only to the client's process and removed with it.
@Suite(.enabled(if: SmallDisk.isAvailable, "\(SmallDisk.advice)"), .timeLimit(.minutes(5))) struct FullDiskTests {
    private let disk: SmallDisk
    private let server: MockServer

    init() throws {
        disk = try SmallDisk()
        let content = [UInt8](repeating: 7, count: 3 << 20)
        let file = FileOnServer(content: content)
        server = try MockServer { $0.path == "/before" || $0.path == "/after" ? .text("small") : file.answer($0) }
    }

    @Test func `a full disk is distinguished from other errors, leaves no file, and ends the connection`() throws {
        let report = try ClientProcess.run("receive", server.url, "file:\(disk.path)/a", by: disk.command)
        #expect(report.failure == "diskFull")
        #expect(server.requests.map(\.path) == ["/before", "/body", "/after"])
        #expect(server.requests.map(\.connection) == [1, 1, 2])
        #expect(disk.names == [])
    }

    @Test func `a download on a full disk keeps its part, to be resumed later`() throws {
        let sha256 = String(repeating: "0", count: 64)
        let report = try ClientProcess.run(
            "download", server.url("/a"), disk.path + "/a", sha256, "1", by: disk.command)
        #expect(report.failure == "diskFull")
        #expect(disk.names == ["a.partial", "a.partial.json"])
    }
}
