import Foundation
import HTTPMockServer
import HTTPTesting
import TestSupport
import Testing

/// Small bodies that expand to 1 GiB. `make soak` adds a gzip of one stream, which is slow to make, and receives the
/// whole bodies.
@Suite(
    .serialized, .enabled(if: Needs.processMemory && Program.gzip != nil, "needs gzip; \(Needs.processMemoryAdvice)"),
    .timeLimit(.minutes(5))
)
struct BombEnduranceTests {
    private static let limit = (Soak.isFull ? 64 : 16) << 20
    /// A br decoder needs the window of the encoder, which is 4 MiB here.
    private static let roomKiB = 8 << 10

    private static func bombs() throws -> [Bomb] {
        let gzip = try #require(Program.gzip)
        return try [.gzip(by: gzip), .gzipTwice(by: gzip), .br] + (Soak.isFull ? [.gzipInOneStream(by: gzip)] : [])
    }

    private static func server(_ bomb: Bomb) throws -> MockServer {
        try MockServer { request in
            request.path == "/body"
                ? .data(bomb.bytes).header("Content-Encoding", bomb.contentEncoding) : .text("small")
        }
    }

    @Test func `a bomb ends at the limit, and takes no more memory than allowed`() throws {
        for bomb in try Self.bombs() {
            let server = try Self.server(bomb)
            let directory = try ScratchDirectory()
            for (place, allowedKiB) in [
                ("memory", Self.limit >> 10), ("sink", 0), ("discard", 0), ("file:" + directory.file("a"), 0),
            ] {
                let report = try ClientProcess.run("receive", server.url, place, "\(Self.limit)")
                #expect(report.failure == "limit body \(Self.limit)")
                #expect(report.growthKiB < allowedKiB + Self.roomKiB)
                print("\(bomb.bytes.count) bytes of \(bomb.contentEncoding) to \(place): \(report.growthKiB) KiB more")
                // The rest of the body is not read, so the connection is not reused.
                let connections = server.requests.suffix(3).map(\.connection)
                #expect(connections[0] == connections[1] && connections[1] < connections[2])
            }
            #expect(directory.names.isEmpty)
        }
    }

    @Test(.enabled(if: Soak.isFull, "run by make soak: 1 GiB each takes seconds"))
    func `an accepted bomb arrives whole, and takes no memory of its size`() throws {
        for bomb in try Self.bombs() {
            let server = try Self.server(bomb)
            let report = try ClientProcess.run("receive", server.url, "discard")
            #expect(report.failure == nil && report.byteCount == Int64(Bomb.size))
            #expect(report.growthKiB < Self.roomKiB)
        }
    }
}
