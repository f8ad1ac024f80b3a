import HTTPCore

/// OpenSSL's exit handler. When the process calls `exit`, or returns from `main`, it frees all shared state without
/// waiting for threads that use it. If another thread closes a connection at that moment, the process crashes.
enum OpenSSLExitHandler {
    private typealias SetUp = @convention(c) (_ options: UInt64, _ settings: OpaquePointer?) -> CInt

    /// OPENSSL_INIT_NO_ATEXIT. The system frees the memory anyway.
    private static let withoutCleanup: UInt64 = 0x80000

    /// Disables it. The first initialization of OpenSSL in a process decides, so this comes before that of libcurl; it
    /// has no effect if the program has used OpenSSL itself.
    static func disable() {
        guard let setUp = SystemLibrary.openSSL.function("OPENSSL_init_crypto", as: SetUp.self) else { return }
        _ = setUp(withoutCleanup, nil)
    }
}
