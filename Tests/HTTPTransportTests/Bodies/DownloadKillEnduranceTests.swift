import Foundation
import TestSupport
import Testing

/// Downloads in a process that is killed. `make soak` kills 50 times, `make test` 5.
@Suite(.timeLimit(.minutes(5))) struct DownloadKillEnduranceTests {

    @Test
    func `a download killed at any point is finished by the next run, and fetches nothing twice`() throws {
        let whole = KilledDownload.content.count
        var kept: [Int] = []
        while kept.count < (Soak.isFull ? 50 : 5) {
            let points = (0..<Int.random(in: 1...3)).map { _ in KilledDownload.Point.random(in: whole) }.sorted()
            let download = try KilledDownload(points)
            kept += try points.indices.map(download.runAndKill)
            try download.finish()
        }
        print(
            "killed \(kept.count) times, \(kept.count { $0 == 0 }) before a byte was there,",
            "\(kept.count { 0 < $0 && $0 < whole }) in between, \(kept.count { $0 == whole }) behind the last one")
    }
}
