import CLibcurl
import HTTPSupport

/// Applies the destination policy to the connections of one transfer, and records refusals of an exchange.
///
/// Used by the thread that runs the transfer.
final class CurlDestinations {
    private let destinations: DestinationGuard
    /// The verdict before resolution.
    let standingRefusal: DestinationGuard.Refusal?
    private var first: DestinationGuard.Refusal?
    /// An established connection that was refused.
    private var final: DestinationGuard.Refusal?

    init(_ destinations: DestinationGuard) {
        self.destinations = destinations
        standingRefusal = destinations.refusal
    }

    /// Before an exchange.
    func begin() { (first, final) = (nil, nil) }

    /// Whether a socket may be opened for `address`.
    func mayConnect(to address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard standingRefusal == nil else { return false }
        let refusal = destinations.refusal(of: Self.address(in: address))
        if first == nil { first = refusal }
        return refusal == nil
    }

    /// Whether a request may be sent on an established connection, new or kept.
    func mayUse(_ ends: CurlEndpoints) -> Bool {
        guard standingRefusal == nil else { return false }
        let bytes = ends.remoteAddress.flatMap { IPAddress.bytes(of: String(cString: $0)) } ?? []
        final = destinations.refusal(of: bytes)
        return final == nil
    }

    /// The refusal that ended the exchange, if any. If one address was allowed, its own failure counts.
    func refusal(afterOpening hasOpened: Bool) -> DestinationGuard.Refusal? { final ?? (hasOpened ? nil : first) }

    /// Nil for a unix-domain socket.
    static func family(of address: UnsafePointer<curl_sockaddr>) -> CurlConfiguration.AddressFamily? {
        switch address.pointee.family {
        case AF_INET: .ipv4
        case AF_INET6: .ipv6
        default: nil
        }
    }

    /// The address that libcurl wants to connect to: 4 bytes or 16, and none for a unix-domain socket.
    static func address(in address: UnsafePointer<curl_sockaddr>) -> [UInt8] {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return [] }
        // It may be longer than a `sockaddr`.
        let name = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(address) + offset, count: Int(address.pointee.addrlen))
        return Self.address(in: name, family: address.pointee.family)
    }

    /// The address in a `sockaddr` of that family: 4 bytes or 16. None for any other family, or one that is cut short.
    static func address(in name: UnsafeRawBufferPointer, family: CInt) -> [UInt8] {
        let (offset, count) =
            switch family {
            case AF_INET: (MemoryLayout<sockaddr_in>.offset(of: \.sin_addr), 4)
            case AF_INET6: (MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr), 16)
            default: (nil, 0)
            }
        guard let offset, name.count >= offset + count else { return [] }
        return Array(name[offset..<offset + count])
    }
}
