import Foundation
import HTTPMockServer
import Straightline
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ProgressBarsTests {
    private final class Screen: Sendable {
        private let texts = Mutex("")
        var text: String { texts.withLock { $0 } }
        func bars(isTerminal: Bool = false) -> ProgressBars {
            ProgressBars(isTerminal: isTerminal) { [self] new in texts.withLock { $0 += new } }
        }
    }

    private let screen = Screen()

    @Test func `failing work is marked, and successful work ends by itself`() throws {
        let bars = screen.bars()
        let good: Int = bars.track("good") { progress in
            progress(TransferProgress(bytes: 7, total: 7, isFinished: true))
            return 1
        }
        #expect(good == 1)
        #expect(throws: CancellationError.self) {
            try bars.track("bad") { progress in
                progress(TransferProgress(bytes: 3, total: 7))
                throw CancellationError()
            }
        }
        #expect(screen.text == "✓ good  100%  7 B of 7 B\nbad   42%  3 B of 7 B\n✗ bad   42%  3 B of 7 B\n")
    }

    @Test func `successful work without progress has not failed`() {
        #expect(screen.bars().track("quiet") { _ in 1 } == 1)
        #expect(screen.bars(isTerminal: true).track("seen") { _ in 1 } == 1)
        #expect(screen.text == "✓ quiet\n✓ seen\n")
    }

    @Test func `a bar released before its end counts as failed`() {
        let bars = screen.bars()
        bars.add("a").show(TransferProgress(bytes: 1))
        #expect(screen.text == "a  1 B\n✗ a  1 B\n")
    }

    @Test func `bars of many threads stay on their lines`() async {
        let bars = screen.bars()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 { group.addTask { for _ in 0..<50 { _ = bars.add("\(number)") } } }
        }
        let lines = screen.text.split(separator: "\n")
        #expect(lines.count == 400 && lines.allSatisfy { $0.hasPrefix("✗ ") && $0.hasSuffix("  nothing came") })
    }

    @Test func `bars show awaited transfers, and mark those that throw as failed`() async throws {
        let server = try MockServer { $0.path == "/a" ? .data([UInt8](repeating: 7, count: 1000)) : .status(.notFound) }
        let client = CurlTransport()
        let bars = screen.bars()
        let response = try await bars.track("good") { progress in
            try await client.get(server.url("/a"), .downloadProgress(progress))
        }
        #expect(response.body.count == 1000)
        #expect(await bars.track("quiet") { _ async in 1 } == 1)
        await #expect(throws: HTTPError.self) {
            try await bars.track("bad") { _ in try await client.send(.get(server.url("/b"))).validated() }
        }
        #expect(server.requests.map(\.path) == ["/a", "/b"])
        #expect(screen.text.contains("✓ good  100%  1.0 kB of 1.0 kB"))
        #expect(screen.text.contains("✓ quiet\n"))
        #expect(screen.text.hasSuffix("✗ bad  nothing came\n"))
    }
}
