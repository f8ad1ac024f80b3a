import HTTPCore

/// What OpenSSL does when the process calls `exit`, or returns from `main`: it frees all it has in common, and does not wait
/// for the threads that use it. A connection that another thread closes in that moment crashes the process.
enum OpenSSLExitHandler {
    private typealias SetUp = @convention(c) (_ options: UInt64, _ settings: OpaquePointer?) -> CInt

    /// OPENSSL_INIT_NO_ATEXIT. The system takes the memory back anyway.
    private static let withoutCleanup: UInt64 = 0x80000

    /// Has it leave that out. The first to set OpenSSL up in a process decides, so this comes before libcurl does, and is
    /// without effect where the program has used OpenSSL itself.
    static func disable() {
        guard let setUp = SystemLibrary.openSSL.function("OPENSSL_init_crypto", as: SetUp.self) else { return }
        _ = setUp(withoutCleanup, nil)
    }
}
