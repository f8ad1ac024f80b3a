import Foundation
import HTTPMockServer
import HTTPTesting
import TestSupport
import Testing

/// The memory that bodies take, in a separate process. `make soak` transfers 1 GiB each time, `make test` 64 MiB.
@Suite(.serialized, .enabled(if: Needs.processMemory, "\(Needs.processMemoryAdvice)"), .timeLimit(.minutes(5)))
struct BodyMemoryEnduranceTests {
    private static let size = Soak.isFull ? 1 << 30 : 64 << 20
    /// The allowed excess over an empty request.
    private static let roomKiB = 4 << 10

    @Test(arguments: ["file", "sink", "discard"])
    func `receiving a body takes no memory of its size`(destination: String) throws {
        let directory = try ScratchDirectory()
        let server = try BigBodyServer(size: Self.size)
        let place = destination == "file" ? "file:" + directory.file("a") : destination
        let report = try ClientProcess.run("receive", server.url, place)
        #expect(report.failure == nil && report.byteCount == Int64(Self.size))
        if destination == "file" {
            let size = try FileManager.default.attributesOfItem(atPath: directory.file("a"))[.size] as? Int
            #expect(size == Self.size)
            #expect(directory.names == ["a"])
        }
        expectFlat(report, "received to \(destination)")
    }

    /// The size of the first piece makes the buffer, which doubles repeatedly, full just before the end.
    @Test func `a body of unknown length is in memory once, even while its buffer grows`() throws {
        let size = 16 << 20
        let content = [UInt8](repeating: 7, count: size)
        let server = try MockServer { request in
            request.path == "/body" ? .data(content).framed(.chunked(sizes: [8190, 16_384])) : .text("small")
        }
        let report = try ClientProcess.run("receive", server.url, "memory", "\(size)")
        #expect(report.failure == nil && report.byteCount == Int64(size))
        print("\(size >> 20) MiB of unknown length to memory: \(report.growthKiB) KiB more than an empty request")
        #expect(report.growthKiB < (size >> 10) + Self.roomKiB)
    }

    @Test func `sending a file takes no memory of its size`() throws {
        let directory = try ScratchDirectory()
        let server = try BigBodyServer(size: 0)
        let path = try directory.writeZeros(Self.size, to: "a")
        let report = try ClientProcess.run("send", server.url, path)
        #expect(report.failure == nil && report.byteCount == Int64(Self.size))
        expectFlat(report, "sent from a file")
    }

    private func expectFlat(_ report: ClientProcess.Report, _ what: String) {
        print("\(Self.size >> 20) MiB \(what): \(report.growthKiB) KiB more than an empty request")
        #expect(report.growthKiB < Self.roomKiB)
    }
}
