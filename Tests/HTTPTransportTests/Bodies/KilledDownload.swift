import TestSupport
import Foundation
import HTTPCore
import HTTPMockServer
import HTTPTesting
import Testing

/// One download by several runs of a process, all but the last of which are killed.
struct KilledDownload {
    static let content = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9 &+ $0 >> 17) }
    /// The hash of `content`, computed by another program.
    private static let sha256 = "c637279c8445b28765b179f197051dd40baba33ba1443a425d51067aeeab217c"

    private let points: [Point]
    private let directory: ScratchDirectory
    private let server: MockServer
    private let path: String

    /// When a run is killed: that many microseconds after its part has that many bytes.
    struct Point: Comparable, CustomStringConvertible {
        /// A negative count means from the start of the process.
        let count: Int
        let microseconds: UInt32

        var description: String { "\(count) bytes and \(microseconds) µs" }

        /// Anywhere, and in one of three cases near the start or the end, where most steps are.
        static func random(in size: Int) -> Point {
            switch Int.random(in: 0..<6) {
            case 0: Point(count: -1, microseconds: .random(in: 0...50_000))
            case 1: Point(count: size, microseconds: .random(in: 0...10_000))
            default: Point(count: .random(in: 0...size), microseconds: 0)
            }
        }

        static func < (left: Point, right: Point) -> Bool { left.count < right.count }
    }

    init(_ points: [Point]) throws {
        self.points = points
        directory = try ScratchDirectory()
        path = directory.file("a.bin")
        server = try MockServer()
    }

    /// Returns the number of bytes that exist after it.
    func runAndKill(_ index: Int) throws -> Int {
        serve(slowly: true)
        let before = keptCount
        let client = try ClientProcess(arguments(run: index))
        waited { !client.isRunning || partCount ?? -1 >= points[index].count }
        usleep(points[index].microseconds)
        client.kill()
        expectRequests(of: index, behind: before)
        let kept = (try? directory.read("a.bin")) ?? (try? directory.read("a.bin.partial")) ?? []
        // The start of the file, and nothing else.
        try #require(kept == Array(Self.content.prefix(kept.count)), "killed at \(points)")
        return kept.count
    }

    func finish() throws {
        serve(slowly: false)
        let before = keptCount
        let report = try ClientProcess(arguments(run: points.count)).report()
        #expect(report.failure == nil, "killed at \(points)")
        #expect(report.byteCount == Int64(Self.content.count - before), "killed at \(points)")
        expectRequests(of: points.count, behind: before)
        #expect(try directory.read("a.bin") == Self.content, "killed at \(points)")
        #expect(directory.names == ["a.bin"], "killed at \(points)")
    }

    private func arguments(run: Int) -> [String] { ["download", server.url("/a"), path, Self.sha256, "\(run)"] }

    private func serve(slowly: Bool) {
        let file = FileOnServer(content: Self.content)
        server.handler = { request in
            let answer = file.answer(request)
            return slowly ? answer.failing(.trickle(bytes: 64 << 10, every: .milliseconds(1))) : answer
        }
    }

    private var partCount: Int? {
        try? FileManager.default.attributesOfItem(atPath: path + ".partial")[.size] as? Int
    }

    /// The number of bytes that need not be fetched again.
    private var keptCount: Int { FileManager.default.fileExists(atPath: path) ? Self.content.count : partCount ?? 0 }

    /// At most one request, for the bytes after the existing ones.
    private func expectRequests(of run: Int, behind kept: Int) {
        // Identified by a header: requests of a killed client may be read after its end.
        let requests = server.requests.filter { $0.headers["X-Run"] == "\(run)" }
        #expect(requests.count <= (kept == Self.content.count ? 0 : 1), "killed at \(points)")
        for request in requests {
            #expect(request.headers["Range"] == (kept > 0 ? "bytes=\(kept)-" : nil), "killed at \(points)")
            #expect(request.headers["If-Range"] == (kept > 0 ? "\"v1\"" : nil), "killed at \(points)")
        }
    }
}
