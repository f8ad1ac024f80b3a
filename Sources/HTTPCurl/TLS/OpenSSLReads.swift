import HTTPSupport

/// Makes OpenSSL ask before each read from a connection, which bounds what one step of libcurl reads (`ReadBudget`), and
/// after it, which keeps the end of the connection back (`HeldEnd`).
///
/// A denied read looks like an empty socket. The data stays there, so the next wait for the socket ends at once. Other
/// TLS libraries have no such callback; over these only HTTP/1.1 is spoken.
struct OpenSSLReads: Sendable {
    private typealias Callback =
        @convention(c) (
            OpaquePointer?, CInt, UnsafePointer<CChar>?, Int, CInt, Int, CInt, UnsafeMutablePointer<Int>?
        ) -> Int

    /// BIO_CB_READ: called before a read.
    private static let beforeRead: CInt = 0x02
    /// BIO_CB_READ | BIO_CB_RETURN: called after a read.
    private static let afterRead: CInt = 0x82
    /// The length of the head of a record, which OpenSSL reads apart.
    static let recordHead = 5
    /// BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY: there is nothing to read now.
    private static let tryAgain: CInt = 0x01 | 0x08

    private let reader: @convention(c) (OpaquePointer?) -> OpaquePointer?
    private let setCallback: @convention(c) (OpaquePointer, Callback) -> Void
    private let setArgument: @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> Void
    private let argument: @convention(c) (OpaquePointer) -> UnsafeMutableRawPointer?
    private let setFlags: @convention(c) (OpaquePointer, CInt) -> Void

    /// Nil unless libcurl uses OpenSSL 1.1 or later.
    static let shared = try? OpenSSLReads(CurlLibrary.shared.openSSL)

    private init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        reader = try library("SSL_get_rbio")
        setCallback = try library("BIO_set_callback_ex")
        setArgument = try library("BIO_set_callback_arg")
        argument = try library("BIO_get_callback_arg")
        setFlags = try library("BIO_set_flags")
    }

    /// Calls `state` before and after each read from `connection`, OpenSSL's object, which must not outlive it.
    func bound(_ connection: OpaquePointer, by state: CurlTLSConnection) {
        guard let reader = reader(connection) else { return }
        setArgument(reader, Unmanaged.passUnretained(state).toOpaque())
        setCallback(reader, Self.callback)
    }

    /// Returns the given result to OpenSSL, except for a denied read.
    private static let callback: Callback = { reader, operation, bytes, count, _, _, result, taken in
        guard operation == beforeRead || (operation == afterRead && count == recordHead && result >= 0),
            let reader, let reads = shared, let state = reads.argument(reader)
        else { return Int(result) }
        let mayGoOn = Unmanaged<CurlTLSConnection>.fromOpaque(state)._withUnsafeGuaranteedRef { connection in
            guard operation == afterRead else { return connection.mayRead() }
            let count = result > 0 ? taken?.pointee ?? 0 : 0
            return connection.mayKnow(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        guard !mayGoOn else { return Int(result) }
        reads.setFlags(reader, tryAgain)
        return -1
    }
}
