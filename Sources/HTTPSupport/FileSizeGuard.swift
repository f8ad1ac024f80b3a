/// Keeps a write beyond the limit of a file's size (`ulimit -f`) from ending the process: it fails with EFBIG.
///
/// The signal for it, SIGXFSZ, is blocked on this thread during the write, and a new pending one is consumed. The program's
/// handlers stay unchanged. A process without a limit, as usual, gets no signal.
package enum FileSizeGuard {
    package static func around<Value>(_ write: () -> Value) -> Value {
        guard isLimited else { return write() }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGXFSZ)
        // A signal that was pending before is the program's own.
        let wasPending = isPending()
        var previous = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &previous)
        defer {
            if !wasPending, isPending() {
                var taken: CInt = 0
                sigwait(&signals, &taken)
            }
            pthread_sigmask(SIG_SETMASK, &previous, nil)
        }
        return write()
    }

    /// Read once: limits are set before a program starts.
    private static let isLimited: Bool = {
        var limit = rlimit()
        // RLIMIT_FSIZE, which each C library declares in its own way. The largest numbers mean no limit.
        return getrlimit(1, &limit) == 0 && limit.rlim_cur < Int64.max
    }()

    private static func isPending() -> Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGXFSZ) == 1
    }
}
