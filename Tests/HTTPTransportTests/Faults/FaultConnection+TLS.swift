import HTTPMockServer
import HTTPSupport

extension FaultConnection {
    private typealias UpdateKeys = @convention(c) (OpaquePointer?, CInt) -> CInt
    private typealias MakeTicket = @convention(c) (OpaquePointer?) -> CInt

    /// SSL_KEY_UPDATE_NOT_REQUESTED (RFC 8446 §4.6.3).
    private static let unanswered: CInt = 0

    /// After a head, sends only key updates.
    func floodWithKeyUpdates() {
        guard let update: UpdateKeys = function("SSL_key_update") else { return }
        floodWithHandshakes { update($0, Self.unanswered) }
    }

    /// After a head, sends only session tickets.
    func floodWithTickets() {
        guard let make: MakeTicket = function("SSL_new_session_ticket") else { return }
        floodWithHandshakes { make($0) }
    }

    private func floodWithHandshakes(_ prepare: (OpaquePointer?) -> CInt) {
        guard let stream = stream as? TLSStream, begin(200) else { return }
        mark()
        var isThere = true
        while isThere, prepare(stream.session.pointer) > 0 {
            _ = stream.session.handshake()
            isThere = stream.flush()
        }
    }

    private func function<Function>(_ name: String) -> Function? {
        SystemLibrary(anyOf: ["libssl.so.3", "libssl.so.1.1", "libssl.3.dylib"]).flatMap { try? $0(name) }
    }
}
