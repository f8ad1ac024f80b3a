/// OpenSSL's exit handler. When the process calls `exit`, or returns from `main`, it frees all shared state without
/// waiting for threads that use it. A thread that closes a connection or hashes at that moment crashes the process.
enum OpenSSLExitHandler {
    private typealias SetUp = @convention(c) (_ options: UInt64, _ settings: OpaquePointer?) -> CInt

    /// OPENSSL_INIT_NO_ATEXIT. The system frees the memory anyway.
    private static let withoutCleanup: UInt64 = 0x80000

    /// Disables it. The first initialization of OpenSSL in a process decides, and any use initializes it, so this comes
    /// when the library is found, before any of its functions is handed out. It has no effect if the program has used
    /// OpenSSL itself.
    static func disable(_ library: LibraryFile) {
        guard let function = library.function("OPENSSL_init_crypto") else { return }
        _ = unsafeBitCast(function, to: SetUp.self)(withoutCleanup, nil)
    }
}
