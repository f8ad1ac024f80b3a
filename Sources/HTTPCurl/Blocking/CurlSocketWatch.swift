import CLibcurl

/// Whether the only transfer in a multi handle waits only for one socket to become readable.
///
/// Then libcurl can be told that the socket is ready and does not poll it again. That holds for most exchanges on an
/// open connection. libcurl handles everything else itself.
final class CurlSocketWatch: CurlSocketListener {
    // Only the thread that has the multi handle uses this; the compiler cannot check that.
    @exclusivity(unchecked) private var socket = CURL_SOCKET_BAD
    @exclusivity(unchecked) private var isSimple = false

    /// Before the first step of a transfer.
    func begin() {
        socket = CURL_SOCKET_BAD
        isSimple = true
    }

    /// From here on the transfer is driven without tracking its sockets.
    func giveUp() { isSimple = false }

    /// libcurl reports the events it waits for on `socket`.
    func note(_ socket: curl_socket_t, _ action: CInt) {
        let isSame = self.socket == socket
        switch action {
        case CURL_POLL_REMOVE: if isSame { self.socket = CURL_SOCKET_BAD }
        case CURL_POLL_IN where isSame || self.socket == CURL_SOCKET_BAD: self.socket = socket
        default: isSimple = false
        }
    }

    /// The socket, if it is the only thing to wait for.
    var onlyReadable: curl_socket_t? { isSimple && socket != CURL_SOCKET_BAD ? socket : nil }

    func waits(for socket: curl_socket_t) -> Bool { self.socket == socket }

    static let callback: shim_socket_callback = { easy, socket, action, context, _ in
        guard let context else { return 0 }
        CurlCallbacks.noteWait(of: easy, for: socket, action)
        Unmanaged<CurlSocketWatch>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.note(socket, action) }
        return 0
    }
}
