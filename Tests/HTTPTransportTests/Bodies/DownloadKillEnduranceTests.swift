import Foundation
import HTTPCore
import HTTPTesting
import Testing

/// Downloads in a process that is killed. `make soak` kills 50 times, `make test` 5.
@Suite struct DownloadKillEnduranceTests {
    private static let isFull = ProcessInfo.processInfo.environment["STRAIGHTLINE_SOAK"] != nil
    private static let content = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9 &+ $0 >> 17) }
    /// Of `content`, by another program.
    private static let sha256 = "c637279c8445b28765b179f197051dd40baba33ba1443a425d51067aeeab217c"

    private let directory: TemporaryDirectory
    private let server: MockServer
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("a.bin")
        server = try MockServer()
    }

    @Test func `a download that is killed at any point is finished by the next run, and fetches nothing twice`() throws
    {
        var kills = 0
        while kills < (Self.isFull ? 50 : 5) {
            let points = (0..<Int.random(in: 1...3)).map { _ in Int.random(in: 0...Self.content.count) }.sorted()
            kills += points.count
            try #require(try isFinished(afterKillsAt: points), "killed at \(points)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// Whether nothing was amiss: false behind an issue that was recorded.
    private func isFinished(afterKillsAt points: [Int]) throws -> Bool {
        serve(slowly: true)
        for point in points {
            let asked = server.requestCount
            let kept = keptCount
            try runAndKill(whenPartHas: point)
            expectRequests(since: asked, behind: kept)
            guard keptIsRight else { return false }
        }
        serve(slowly: false)
        let (asked, kept) = (server.requestCount, keptCount)
        let report = try ClientProcess.run("download", server.url("/a"), path, Self.sha256)
        #expect(report.failure == nil)
        #expect(report.byteCount == Int64(Self.content.count - kept))
        expectRequests(since: asked, behind: kept)
        #expect(try directory.read("a.bin") == Data(Self.content))
        #expect(directory.names == ["a.bin"])
        return report.failure == nil
    }

    private func serve(slowly: Bool) {
        let file = FileOnServer(content: Self.content)
        server.handler = { request in
            let answer = file.answer(request)
            return slowly ? answer.failing(.trickle(bytes: 64 << 10, every: .milliseconds(1))) : answer
        }
    }

    private func runAndKill(whenPartHas count: Int) throws {
        let client = try ClientProcess(["download", server.url("/a"), path, Self.sha256])
        while client.isRunning, partCount ?? -1 < count { usleep(UInt32.random(in: 0...2000)) }
        client.kill()
    }

    private var partCount: Int? {
        try? FileManager.default.attributesOfItem(atPath: path + ".partial")[.size] as? Int
    }

    /// How much need not be fetched any more.
    private var keptCount: Int { FileManager.default.fileExists(atPath: path) ? Self.content.count : partCount ?? 0 }

    /// What is there is the beginning of the file, and nothing else.
    private var keptIsRight: Bool {
        let kept = (try? directory.read("a.bin")) ?? (try? directory.read("a.bin.partial")) ?? Data()
        let isRight = kept == Data(Self.content.prefix(kept.count))
        #expect(isRight, "\(kept.count) bytes")
        return isRight
    }

    /// One request at most, for what lies behind the bytes that were there.
    private func expectRequests(since first: Int, behind kept: Int) {
        let requests = server.requests.dropFirst(first)
        #expect(requests.count <= (kept == Self.content.count ? 0 : 1))
        for request in requests {
            #expect(request.headers["Range"] == (kept > 0 ? "bytes=\(kept)-" : nil))
            #expect(request.headers["If-Range"] == (kept > 0 ? "\"v1\"" : nil))
        }
    }
}
