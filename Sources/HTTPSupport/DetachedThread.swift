/// A detached thread, which is not joined. All threads of this package's modules are started here.
///
/// Signals are blocked on it: a handler would delay its calls, and the stack may be too small for one
/// (`docs/decisions/signals.md`).
package enum DetachedThread {
    /// Runs `body` on a new thread. Returns 0, or the error code of the failed call; `body` does not run then. With nil
    /// for `stackBytes`, or if the system refuses so few, the stack has the system's default size.
    package static func start(stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void) -> CInt {
        if let system = ThreadSystem.current { return system.start(body) ? 0 : EAGAIN }
        // Not a variable: its initializer would belong to whichever module first includes the header.
        return withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
            guard let attributes = attributes.baseAddress else { return ENOMEM }
            let problem = pthread_attr_init(attributes)
            guard problem == 0 else { return problem }
            defer { pthread_attr_destroy(attributes) }
            // A size that does not fit into memory would be refused with the thread, as if there were too many of them.
            if let stackBytes { pthread_attr_setstacksize(attributes, min(max(stackBytes, 0), 1 << 30)) }
            pthread_attr_setdetachstate(attributes, CInt(PTHREAD_CREATE_DETACHED))
            return start(attributes, Unmanaged.passRetained(Body(body)))
        }
    }

    private static func start(_ attributes: UnsafePointer<pthread_attr_t>, _ body: Unmanaged<Body>) -> CInt {
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let problem = withSignalsBlocked { pthread_create(&thread, attributes, runBody, body.toOpaque()) }
        if problem != 0 { body.release() }
        return problem
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    #if canImport(Darwin)
    private static let runBody: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { body in
        Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
        return nil
    }
    #else
    private static let runBody: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { body in
        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
    }
    #endif

    // MARK: Signals

    /// Signals raised by the thread's own instructions. If they were blocked, the process would end without its
    /// handler.
    private static let synchronous = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT]

    /// Runs `start`, which starts a thread, with all other signals blocked. The new thread inherits that mask from its
    /// first instruction.
    private static func withSignalsBlocked(_ start: () -> CInt) -> CInt {
        var others = sigset_t()
        sigfillset(&others)
        for signal in synchronous { sigdelset(&others, signal) }
        var previous = sigset_t()
        pthread_sigmask(SIG_SETMASK, &others, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        return start()
    }
}
