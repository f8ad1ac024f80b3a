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

    /// A socket is about to be opened for `address`.
    mutating func record(_ address: UnsafePointer<curl_sockaddr>) {
        guard addresses.count < 64,
            let text = Self.text(CurlDestinations.address(in: address), address.pointee.family)
        else { return }
        let now = TimePoint.now
        let first = start ?? now
        start = first
        addresses.append(ConnectionInfo.Address(text, start: first.duration(to: now)))
    }

    /// Nil without an address, as for a unix-domain socket.
    private static func text(_ address: [UInt8], _ family: CInt) -> String? {
        guard !address.isEmpty else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
