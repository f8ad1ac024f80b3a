import Foundation
import HTTPCore
import HTTPMockServer
import HTTPTesting
import Testing

/// The system clock is set while a call waits. `faketime` does so for one process. The monotonic time, by which
/// deadlines are kept, is not affected.
@Suite(
    .enabled(if: Needs.clock, "needs faketime, and no sanitizer"),
    .timeLimit(.minutes(5))
)
struct ClockJumpTests {
    private static let day = 86_400

    @Test(arguments: [1, -1]) func `does not end a call that has time left`(days: Int) throws {
        let clock = try Clock()
        let server = try MockServer { request in
            guard request.path == "/body" else { return .status(.noContent) }
            clock.set(days: days)
            return .text("hello").taking(.milliseconds(300))
        }
        let report = try ClientProcess.run("wait", server.url, "20000", by: clock.command)
        #expect(report.failure == nil && report.byteCount == 5)
        #expect(try Self.jump(server) == days)
    }

    @Test(arguments: [1, -1]) func `does not move the deadline of a call`(days: Int) throws {
        let clock = try Clock()
        let server = try MockServer { request in
            guard request.path == "/body" else { return .status(.noContent) }
            clock.set(days: days)
            return .fault(.stall(.beforeHead))
        }
        let report = try ClientProcess.run("wait", server.url, "500", by: clock.command)
        #expect(report.failure?.contains("500 ms") == true)
        #expect(try Self.jump(server) == days)
    }

    /// The number of days by which the client's clock was set, as reported in its last request.
    private static func jump(_ server: MockServer) throws -> Int {
        let now = try #require(server.requests.last?.headers["X-Now"].flatMap(Double.init))
        return Int(((now - Date().timeIntervalSince1970) / Double(day)).rounded())
    }
}

/// The clock of a process that `command` starts.
private struct Clock: Sendable {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
        set(days: 0)
    }

    private var path: String { directory.file("clock") }

    func set(days: Int) { try? Data((days < 0 ? "\(days)d" : "+\(days)d").utf8).write(to: URL(fileURLWithPath: path)) }

    /// `faketime` takes one fixed time; the library that it preloads also reads a file.
    var command: [String] {
        guard let program = Program.faketime else { return [] }
        return [
            program.path, "-m", "--exclude-monotonic", "-f", "+0d", "/usr/bin/env", "-u", "FAKETIME",
            "FAKETIME_NO_CACHE=1",
            "FAKETIME_TIMESTAMP_FILE=\(path)",
        ]
    }
}
