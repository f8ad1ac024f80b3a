import HTTPCore
import HTTPSupport

/// Keeps a write to a closed peer from killing the process.
///
/// Plain sockets are written with MSG_NOSIGNAL, but a TLS library may use `write`, and libcurl does not touch the
/// signal in threaded programs (`CURLOPT_NOSIGNAL`). Where that applies (`CurlLibrary.mayRaiseBrokenPipe`), SIGPIPE is
/// blocked on this thread during such writes, and a new pending one is consumed. The program's handlers stay unchanged.
enum BrokenPipeGuard {
    static func around<Value>(_ operation: () -> Value) -> Value {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        // A signal that was pending before is the program's own.
        let wasPending = isPending()
        var previous = sigset_t()
        pthread_sigmask(SIG_BLOCK, &pipe, &previous)
        defer {
            if !wasPending, isPending() {
                var taken: CInt = 0
                sigwait(&pipe, &taken)
            }
            pthread_sigmask(SIG_SETMASK, &previous, nil)
        }
        return operation()
    }

    private static func isPending() -> Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGPIPE) == 1
    }
}
