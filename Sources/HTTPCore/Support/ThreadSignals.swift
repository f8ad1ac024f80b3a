#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The signals of the program are not for the threads of this package: a handler that runs on one of them holds its calls
/// up, on a stack that may be small for it, and what it interrupts is not the program's.
package enum ThreadSignals {
    /// What an instruction of the thread's own raises. Blocked, it would end the process without a handler being asked.
    private static let synchronous = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT]

    /// Runs `start`, which starts a thread, so that the thread has all other signals blocked from its first moment on, and
    /// none of these: it takes over the signal mask that this thread has meanwhile.
    package static func blocked<Value>(_ start: () -> Value) -> Value {
        var others = sigset_t()
        sigfillset(&others)
        for signal in synchronous { sigdelset(&others, signal) }
        var previous = sigset_t()
        pthread_sigmask(SIG_SETMASK, &others, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        return start()
    }
}
