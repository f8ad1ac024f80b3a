import HTTPSupport

/// The threads of a server, with a stack below the default of 8 MiB, so that hundreds cost little.
package enum ServerThread {
    static let stackBytes = 256 << 10

    /// Runs `body` on a new thread. Returns 0 or the error code of the call that failed.
    package static func start(_ body: @escaping @Sendable () -> Void) -> CInt {
        DetachedThread.start(stackBytes: stackBytes, body)
    }
}
