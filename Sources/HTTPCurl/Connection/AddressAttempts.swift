import CLibcurl
import HTTPSupport

/// The addresses for which an exchange opened sockets, until it was connected.
struct AddressAttempts {
    private(set) var addresses: [ConnectionInfo.Address] = []
    private var start: TimePoint?

    /// Before an exchange.
    mutating func begin() {
        guard start != nil else { return }
        (addresses, start) = ([], nil)
    }

    /// A socket is about to be opened for `address`. One of a unix-domain socket has no bytes.
    mutating func record(_ address: UnsafePointer<curl_sockaddr>) {
        let bytes = CurlDestinations.address(in: address)
        guard addresses.count < 64, !bytes.isEmpty else { return }
        let now = TimePoint.now
        let first = start ?? now
        start = first
        addresses.append(ConnectionInfo.Address(IPAddress.text(of: bytes), start: first.duration(to: now)))
    }
}
