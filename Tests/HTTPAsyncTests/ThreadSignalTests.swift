import Foundation
import HTTPCore
import Testing

import HTTPAsync

/// Signals of the program on the threads of a dispatcher.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/proc/thread-self/status"), "needs a system with /proc"))
struct ThreadSignalTests {
    /// The bits of SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV and SIGSYS.
    static let synchronous: [Int32] = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]
    static let asynchronous: [Int32] = [
        SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGTSTP, SIGWINCH, SIGPROF,
    ]

    /// The signals that this thread has blocked, according to the system.
    static func blocked() -> UInt64 {
        let status = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") } ?? ""
        return UInt64(line.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) ?? 0
    }

    static func has(_ set: UInt64, _ signal: Int32) -> Bool { set & (1 << UInt64(signal - 1)) != 0 }

    @Test func `the thread that starts another keeps its own signals`() {
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &before)
        #expect(Dispatcher.startThread {})
        var after = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &after)
        #expect((1..<32).allSatisfy { sigismember(&before, $0) == sigismember(&after, $0) })
    }
}
