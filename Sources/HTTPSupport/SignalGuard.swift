/// Keeps a signal that a write can raise from ending the process.
///
/// The signal is blocked on this thread during the write, and a new pending one is consumed. The program's handlers stay
/// unchanged. On Darwin nothing is done: the signal goes to the process, so that a thread's mask keeps nothing off.
package enum SignalGuard {
    /// Around writes to a peer that may have closed. Plain sockets are written with MSG_NOSIGNAL, but a TLS library may
    /// use `write`, which raises SIGPIPE, and libcurl does not touch the signal in threaded programs (`CURLOPT_NOSIGNAL`).
    /// On Darwin libcurl's sockets have SO_NOSIGPIPE.
    package static func brokenPipe<Value>(_ write: () -> Value) -> Value { blocking(SIGPIPE, write) }

    /// Around a write to a file. Beyond the limit of its size (`ulimit -f`), it fails with EFBIG and raises SIGXFSZ. A
    /// process without a limit, as usual, gets no signal.
    package static func fileSize<Value>(_ write: () -> Value) -> Value {
        isFileSizeLimited ? blocking(SIGXFSZ, write) : write()
    }

    /// Read once: limits are set before a program starts.
    private static let isFileSizeLimited: Bool = {
        var limit = rlimit()
        // RLIMIT_FSIZE, which each C library declares in its own way. The largest numbers mean no limit.
        return getrlimit(1, &limit) == 0 && limit.rlim_cur < Int64.max
    }()

    #if canImport(Darwin)
    private static func blocking<Value>(_ signal: CInt, _ operation: () -> Value) -> Value { operation() }
    #else
    private static func blocking<Value>(_ signal: CInt, _ operation: () -> Value) -> Value {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        // A signal that was pending before is the program's own.
        let wasPending = isPending(signal)
        var previous = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &previous)
        defer {
            if !wasPending, isPending(signal) { take(&signals) }
            pthread_sigmask(SIG_SETMASK, &previous, nil)
        }
        return operation()
    }

    /// Consumes the pending signal. One that is pending for the whole process may be gone by then.
    private static func take(_ signals: inout sigset_t) {
        var now = timespec()
        sigtimedwait(&signals, nil, &now)
    }

    private static func isPending(_ signal: CInt) -> Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, signal) == 1
    }
    #endif
}
