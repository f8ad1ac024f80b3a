import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Keeps a write to a closed peer from killing the process.
///
/// A plain socket is written with MSG_NOSIGNAL, but a TLS library may use plain `write`, and libcurl cannot touch the
/// signal itself when threads are about (`CURLOPT_NOSIGNAL`). Where that is so (`CurlLibrary.mayRaiseBrokenPipe`),
/// SIGPIPE is blocked on this thread around what may write, and one that came up meanwhile is taken away. The handlers of
/// the program are left alone.
enum BrokenPipeGuard {
    static func around<Value>(_ operation: () -> Value) -> Value {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        // One that was pending before is the program's own.
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
