/// The server side of one TLS connection as a state machine between plaintext and ciphertext. It has no socket, so it
/// neither blocks nor raises SIGPIPE. Used by one thread.
package final class TLSSession {
    package enum Progress: Equatable {
        case done(Int)
        /// It needs more bytes from the wire.
        case starved
        /// The client has sent close_notify.
        case closed
        case failed(String)
    }

    private let library: OpenSSL
    private let session: NativeObject
    /// Owned by the session, which frees them.
    private let arrived: OpaquePointer?
    private let leaving: OpaquePointer?

    private static let wantsRead: CInt = 2
    private static let isClosed: CInt = 6
    private static let hostName: CInt = 0

    init(_ library: OpenSSL, _ context: OpaquePointer?) throws(MockServerError) {
        let sessions = library.sessions
        session = try library.made(sessions.new(context), by: "SSL_new", free: sessions.free)
        arrived = library.text.newBuffer(library.text.memory())
        leaving = library.text.newBuffer(library.text.memory())
        self.library = library
        sessions.setBuffers(session.pointer, arrived, leaving)
        sessions.setAccepting(session.pointer)
    }

    /// OpenSSL's object.
    package var pointer: OpaquePointer? { session.pointer }

    /// Takes received bytes.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        _ = library.text.write(arrived, bytes.baseAddress, CInt(clamping: bytes.count))
    }

    /// The bytes to send.
    func takeLeaving() -> [UInt8] { library.text.take(from: leaving) }

    package func handshake() -> Progress { progress { library.sessions.handshake($0) } }

    func read(into room: UnsafeMutableRawBufferPointer) -> Progress {
        progress { library.sessions.read($0, room.baseAddress, CInt(clamping: room.count)) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Progress {
        progress { library.sessions.write($0, bytes.baseAddress, CInt(clamping: bytes.count)) }
    }

    func sendCloseNotify() { _ = progress { library.sessions.shutdown($0) } }

    private func progress(_ operation: (OpaquePointer?) -> CInt) -> Progress {
        // Errors of earlier calls on this thread would be taken for that of this one.
        _ = library.text.lastError()
        let result = operation(session.pointer)
        if result > 0 { return .done(Int(result)) }
        switch library.sessions.error(session.pointer, result) {
        case Self.wantsRead: return .starved
        case Self.isClosed: return .closed
        default: return .failed(library.text.lastError())
        }
    }

    /// The protocol negotiated by ALPN; nil for none.
    var selectedProtocol: String? {
        var (name, count): (UnsafePointer<UInt8>?, CUnsignedInt) = (nil, 0)
        library.sessions.selectedProtocol(session.pointer, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// The result of the handshake, once it is done.
    func details() -> TLSDetails {
        let sessions = library.sessions
        return TLSDetails(
            version: Self.text(sessions.version(session.pointer)) ?? "",
            cipher: Self.text(sessions.cipherName(sessions.cipher(session.pointer))) ?? "",
            serverName: Self.text(sessions.serverName(session.pointer, Self.hostName)),
            negotiatedProtocol: selectedProtocol,
            clientCertificate: clientCertificate(),
            isResumed: sessions.isResumed(session.pointer) == 1
        )
    }

    private func clientCertificate() -> TLSDetails.Certificate? {
        let certificate = library.sessions.peerCertificate(session.pointer)
        guard let owned = NativeObject(certificate, free: library.certificates.free),
            let pem = try? library.pem(certificate: owned.pointer)
        else { return nil }
        let subject = library.text.line(library.certificates.subject(owned.pointer))
        return TLSDetails.Certificate(subject: subject, pem: String(decoding: pem, as: UTF8.self))
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }
}
