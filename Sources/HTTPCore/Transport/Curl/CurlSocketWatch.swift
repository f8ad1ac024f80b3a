#if canImport(CLibcurl)
import CLibcurl

/// Whether the only transfer in a multi handle waits for one socket to become readable, and for nothing else.
///
/// Then libcurl can be told that it is, and does not ask the system once more. That holds for most of what is sent over a
/// connection that stands. Whatever else there is to wait for, libcurl finds out about by itself.
struct CurlSocketWatch {
    private var socket = CURL_SOCKET_BAD
    private var isSimple = false

    /// Before the first step of a transfer.
    mutating func begin() {
        socket = CURL_SOCKET_BAD
        isSimple = true
    }

    /// From here on the transfer is not looked at as a watch of its sockets would need it.
    mutating func giveUp() { isSimple = false }

    /// libcurl says what it waits for on `socket`.
    mutating func note(_ socket: curl_socket_t, _ action: CInt) {
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
        context?.assumingMemoryBound(to: CurlSocketWatch.self).pointee.note(socket, action)
        return 0
    }
}
#endif
