import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl

/// Blocks threads of Swift's concurrency pool in many ways, and other threads in ways that are allowed. A debug build reports
/// each of the first kind, on its standard error. Before each it prints there `planted <name>` or `allowed <name>`.
///
///     misuse-program <base url>
@main
enum MisuseProgram {
    static let client = CurlTransport()
    static let url = CommandLine.arguments.dropFirst().first ?? ""
    static let directory =
        FileManager.default.temporaryDirectory.path + "/straightline-misuse-\(UUID().uuidString.prefix(8))"

    static func main() async throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (name, work) in Verbs.planted + Shapes.planted {
            announce("planted \(name)")
            // The second time it is not reported.
            for _ in 0..<2 { await Task.detached { await work() }.value }
        }
        for (name, work) in Allowed.ways {
            announce("allowed \(name)")
            await Task.detached { await work() }.value
        }
        announce("end")
        try FileManager.default.removeItem(atPath: directory)
    }

    private static func announce(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}

typealias Way = (name: String, work: @Sendable () async -> Void)

/// The request that all of them send.
var request: MutableRequest { .get(MisuseProgram.url) }
