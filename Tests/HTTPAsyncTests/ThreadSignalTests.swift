import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

@testable import HTTPAsync

/// Signals of the program on the threads of a dispatcher.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/proc/thread-self/status"), "needs a system with /proc"))
struct ThreadSignalTests {
    /// SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV and SIGSYS by their bits.
    private static let synchronous: [Int32] = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]
    private static let asynchronous: [Int32] = [
        SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGTSTP, SIGWINCH, SIGPROF,
    ]

    /// The signals that this thread has blocked, by what the system says of it.
    private static func blocked() -> UInt64 {
        let status = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") } ?? ""
        return UInt64(line.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) ?? 0
    }

    private static func has(_ set: UInt64, _ signal: Int32) -> Bool { set & (1 << UInt64(signal - 1)) != 0 }

    @Test func `every thread of a dispatcher has the signals blocked that are not its own doing`() async throws {
        let server = try MockServer { _ in .text("here") }
        let masks = Locked<[UInt64]>([])
        let dispatcher = Dispatcher(Dispatcher.Configuration()) { body in
            WorkerThread.start(stackBytes: 512 << 10) {
                let mask = Self.blocked()
                masks.withLock { $0.append(mask) }
                body()
                let after = Self.blocked()
                masks.withLock { $0.append(after) }
            }
        }
        // One call is made by the feed's thread, one by a worker, and each callback runs on a thread of the crew.
        let client = CurlTransport()
        for destination in [BodyDestination.memory, .stream { _ in BodySink(write: { _ in }) }] {
            let request = try Request(.get(server.url) |> .destination(destination) |> .timeout(.seconds(5)))
            let callback: UInt64 = await withCheckedContinuation { continuation in
                client.executeRequest(request, callbackQueue: .immediate, on: dispatcher) { _ in
                    continuation.resume(returning: Self.blocked())
                }
            }
            masks.withLock { $0.append(callback) }
        }
        let seen = masks.withLock { $0 }
        #expect(seen.count >= 4)
        for mask in seen {
            #expect(Self.asynchronous.filter { !Self.has(mask, $0) }.isEmpty)
            #expect(Self.synchronous.filter { Self.has(mask, $0) }.isEmpty)
        }
        #expect(server.requestCount == 2)
    }

    @Test func `the thread that starts another keeps its own signals`() {
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &before)
        #expect(WorkerThread.start(stackBytes: 512 << 10) {})
        var after = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &after)
        #expect((1..<32).allSatisfy { sigismember(&before, $0) == sigismember(&after, $0) })
    }
}
