import CLibcurl
import HTTPCore

/// Whether the only transfer in a multi handle waits for one socket to become readable, and for nothing else.
///
/// Then libcurl can be told that it is, and does not ask the system once more. That holds for most of what is sent over a
/// connection that stands. Whatever else there is to wait for, libcurl finds out about by itself.
final class CurlSocketWatch: CurlSocketListener {
    // Only the thread that has the multi handle has this, and the compiler cannot see that.
    @exclusivity(unchecked) private var socket = CURL_SOCKET_BAD
    @exclusivity(unchecked) private var isSimple = false

    /// Before the first step of a transfer.
    func begin() {
        socket = CURL_SOCKET_BAD
        isSimple = true
    }

    /// From here on the transfer is not looked at as a watch of its sockets would need it.
    func giveUp() { isSimple = false }

    /// libcurl says what it waits for on `socket`.
    func note(_ socket: curl_socket_t, _ action: CInt) {
        let isSame = self.socket == socket
        switch action {
        case CURL_POLL_REMOVE: if isSame { self.socket = CURL_SOCKET_BAD }
        case CURL_POLL_IN where isSame || self.socket == CURL_SOCKET_BAD: self.socket = socket
        default: isSimple = false
        }
    }

    /// The socket, if it is all there is to wait for.
    var onlyReadable: curl_socket_t? { isSimple && socket != CURL_SOCKET_BAD ? socket : nil }

    static let callback: shim_socket_callback = { _, socket, action, context, _ in
        guard let context else { return 0 }
        Unmanaged<CurlSocketWatch>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.note(socket, action) }
        return 0
    }
}
