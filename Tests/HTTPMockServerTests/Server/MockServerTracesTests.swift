import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// The remains of stopped servers, counted in a separate process in which nothing else opens or starts anything.
@Suite(
    .enabled(if: Needs.http2 && Needs.processFiles, "\(Needs.http2Advice); \(Needs.processFilesAdvice)"),
    .timeLimit(.minutes(5)))
struct MockServerTracesTests {
    @Test func `the numbers of descriptors and threads return to their initial values`() async {
        await #expect(processExitsWith: .success) {
            let threads = Traces.now().threads
            // Memory that libraries keep is allocated in the first round.
            try Traces.useServers()
            try Traces.waitUntil(Traces.now().threads == threads)
            let before = Traces.now()
            for _ in 0..<3 { try Traces.useServers() }
            try Traces.waitUntil(Traces.now() == before)
        }
    }

    @Test func `a process that waits for traces does see them`() async {
        await #expect(processExitsWith: .failure) {
            let before = Traces.now()
            let server = try MockServer()
            defer { server.stop() }
            try Traces.waitUntil(Traces.now() == before, for: .milliseconds(100))
        }
    }
}

private struct Traces: Equatable {
    struct Left: Error, CustomStringConvertible {
        let description: String
    }

    let descriptors: Int
    let threads: Int

    static func now() -> Traces {
        func count(_ path: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? -1 }
        return Traces(descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"))
    }

    /// Threads end by themselves and are not joined, so only their number shows when they are gone.
    static func waitUntil(_ isSo: @autoclosure () -> Bool, for time: Duration = .seconds(30)) throws {
        guard waited(atMost: time, until: isSo) else { throw Left(description: "left: \(now())") }
    }

    /// Servers of each kind, stopped while they answer.
    static func useServers() throws {
        for versions in [[HTTPVersion.http1_1], [.http2]] {
            let server = try MockServer(security: .tls(), versions: versions) { _ in .text("hello") }
            let client = try CurlTransport.trusting(server)
            for _ in 0..<5 { _ = try client.send(.get(server.url("/"))).text() }
            let plain = try MockServer(versions: versions)
            plain.enqueue(.fault(.stall(.midBody(after: 3))))
            let raw = try RawHTTP2(plain)
            raw.request("/", stream: 1)
            try plain.wait(for: .connections(1))
            plain.stop()
            server.stop()
        }
    }
}
