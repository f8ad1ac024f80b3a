import HTTPCore
import HTTPSupport

/// Makes OpenSSL ask before each read from a connection, which bounds what one step of libcurl reads (`ReadBudget`).
///
/// A denied read looks like an empty socket. The data stays there, so the next wait for the socket ends at once. Other
/// TLS libraries have no such callback; over these only HTTP/1.1 is spoken.
struct OpenSSLReads: Sendable {
    private typealias Reader = @convention(c) (OpaquePointer?) -> OpaquePointer?
    private typealias Callback =
        @convention(c) (
            OpaquePointer?, CInt, UnsafePointer<CChar>?, Int, CInt, Int, CInt, UnsafeMutablePointer<Int>?
        ) -> Int
    private typealias SetCallback = @convention(c) (OpaquePointer, Callback) -> Void
    private typealias SetArgument = @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> Void
    private typealias Argument = @convention(c) (OpaquePointer) -> UnsafeMutableRawPointer?
    private typealias SetFlags = @convention(c) (OpaquePointer, CInt) -> Void

    /// BIO_CB_READ: called before a read.
    private static let beforeRead: CInt = 0x02
    /// BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY: there is nothing to read now.
    private static let tryAgain: CInt = 0x01 | 0x08

    private let reader: Reader
    private let setCallback: SetCallback
    private let setArgument: SetArgument
    private let argument: Argument
    private let setFlags: SetFlags

    /// Nil unless libcurl uses OpenSSL 1.1 or later.
    static let shared: OpenSSLReads? = {
        guard CurlLibrary.shared.usesOpenSSL,
            let reader = SystemLibrary.openSSL.function("SSL_get_rbio", as: Reader.self),
            let setCallback = SystemLibrary.openSSL.function("BIO_set_callback_ex", as: SetCallback.self),
            let setArgument = SystemLibrary.openSSL.function("BIO_set_callback_arg", as: SetArgument.self),
            let argument = SystemLibrary.openSSL.function("BIO_get_callback_arg", as: Argument.self),
            let setFlags = SystemLibrary.openSSL.function("BIO_set_flags", as: SetFlags.self)
        else { return nil }
        return OpenSSLReads(
            reader: reader, setCallback: setCallback, setArgument: setArgument, argument: argument, setFlags: setFlags)
    }()

    /// Calls `state` before each read from `connection`, OpenSSL's object, which must not outlive it.
    func bound(_ connection: OpaquePointer, by state: CurlTLSConnection) {
        guard let reader = reader(connection) else { return }
        setArgument(reader, Unmanaged.passUnretained(state).toOpaque())
        setCallback(reader, Self.callback)
    }

    /// Returns the given result to OpenSSL, except for a denied read.
    private static let callback: Callback = { reader, operation, _, _, _, _, result, _ in
        guard operation == beforeRead, let reader, let reads = shared, let state = reads.argument(reader) else {
            return Int(result)
        }
        let mayRead = Unmanaged<CurlTLSConnection>.fromOpaque(state)._withUnsafeGuaranteedRef { $0.mayRead() }
        guard !mayRead else { return Int(result) }
        reads.setFlags(reader, tryAgain)
        return -1
    }
}
