import HTTPCaching
import Foundation
import HTTPCore
import HTTPTesting
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Processes that share the directory of a cache and are killed while they use it. `make soak` kills two of them 50
/// times, `make test` 3 times.
@Suite(.timeLimit(.minutes(5))) struct CacheKillEnduranceTests {
    private let directory: ScratchDirectory

    init() throws { directory = try ScratchDirectory() }

    /// A line that `cache-program fill` printed.
    private static func stored(_ output: Data) -> Set<Int> {
        // A truncated last line does not count.
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
        return Set(lines.compactMap { $0.hasPrefix("stored ") ? Int($0.dropFirst(7)) : nil })
    }

    private static func fileCount(_ path: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }

    @Test func `processes killed while writing leave no torn response and lose no stored one`()
        throws
    {
        let path = directory.file("cache")
        var kept: Set<Int> = []
        var lines = 0
        for _ in 0..<(Soak.isFull ? 50 : 3) {
            let processes = try (0..<2).map { _ in
                try ClientProcess(["fill", path, "64", "1000000"], named: "cache-program")
            }
            // If it were killed before it has stored anything, the test would show nothing.
            waited { Self.fileCount(path) > 3 }
            usleep(.random(in: 20_000...200_000))
            for process in processes {
                process.kill()
                let output = process.output
                #expect(!String(decoding: output, as: UTF8.self).contains("torn"))
                lines += output.count { $0 == UInt8(ascii: "\n") }
                kept.formUnion(Self.stored(output))
            }
            try check(path, has: kept)
        }
        #expect(lines > 0 && !kept.isEmpty)
        print("killed \(Soak.isFull ? 100 : 6) processes after \(lines) calls, \(kept.count) responses kept")
    }

    /// Each is complete, as seen by a separate process.
    private func check(_ path: String, has kept: Set<Int>) throws {
        let cache = HTTPCache.directory(path, megabytes: 64)
        #expect(cache.problem == nil)
        let urls = Set(cache.entries.map(\.url))
        for number in kept { #expect(urls.contains("http://versions.test/\(number)"), "\(number) is lost") }
        let report = try ClientProcess(["fill", path, "64", "100"], named: "cache-program").finish()
        #expect(report.contains("problem none") && !report.contains("torn"), "\(report.suffix(200))")
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "\(SmallDisk.advice)"))
    func `a full disk disables the store but fails no call`() throws {
        let disk = try SmallDisk()
        let report = try ClientProcess(
            ["fill", disk.path + "/cache", "64", "\(Soak.count(1000, or: 300))"], named: "cache-program",
            by: disk.command
        ).finish()
        #expect(report.contains("problem none") && report.contains("hit") && !report.contains("torn"))
    }
}
