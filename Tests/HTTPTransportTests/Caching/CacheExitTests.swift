import Foundation
import HTTPTesting
import TestSupport
import Testing

/// A process that ends while its threads use a cache in a directory, which hashes with OpenSSL.
@Suite(.timeLimit(.minutes(5))) struct CacheExitTests {

    @Test func `a process that exits while its threads hash what they store exits with its own status`() throws {
        for _ in 0..<Soak.count(300, or: 15) {
            let directory = try ScratchDirectory()
            let process = try ClientProcess(["exit", directory.file("cache"), "8"], named: "cache-program")
            #expect(process.exitStatus == 7)
        }
    }
}
