import CLibcurl
import HTTPCore

/// The connection of one exchange: whether libcurl may open one, whether the one it has picked may be used, and whether the
/// request went out. libcurl asks for the first two; it would decide otherwise.
struct ExchangeConnection {
    /// The ends of the connection, or before there is one those of the exchange before.
    var route: ConnectionEndpoints
    /// Nil in a transfer that is never run.
    var kept: KeptConnection?
    /// Nil where it may lead anywhere.
    var destinations: CurlDestinations?
    /// Set from the moment a connection is ready: then the request goes out.
    private(set) var isReady = false
    /// Whether a connection was opened for it, or was tried to be.
    private(set) var wasOpened = false
    /// Whether the engine wanted to send the request again by itself and was kept from it.
    private(set) var hasRefusedResend = false
    /// Whether the kept connection that was picked is not as the last response left it. Nothing was sent over it.
    private(set) var isUnfit = false
    /// Nil where nothing would be noted.
    private var floodMark: FloodMark?
    /// What is known of the connection in use; before there is one, of the last.
    private var connectionInfo: ConnectionInfo?
    /// The addresses that were tried for it.
    private var attempts = AddressAttempts()
    /// Whether the system had no descriptor for a socket.
    private(set) var isOutOfDescriptors = false

    init(isUnixSocket: Bool) { route = ConnectionEndpoints(isUnixSocket: isUnixSocket) }

    /// Clean for the next exchange.
    mutating func begin() {
        isReady = false
        wasOpened = false
        hasRefusedResend = false
        isUnfit = false
        isOutOfDescriptors = false
        attempts.begin()
        if floodMark != nil { floodMark = nil }
        destinations?.begin()
    }

    /// Whether a connection may be opened. Not once the request went out on another: libcurl would send it again, also a
    /// POST, after a kept connection died, and some versions of it to an earlier target of the handle. Whether it is safe
    /// to send again, the call's plan decides.
    mutating func mayOpen() -> Bool {
        hasRefusedResend = isReady
        if !hasRefusedResend { wasOpened = true }
        return !hasRefusedResend
    }

    /// The same, and whether it may lead to `address`.
    mutating func mayOpen(to address: UnsafePointer<curl_sockaddr>) -> Bool {
        // A request that went out already does not go to another address, whatever the policy says of that.
        if !isReady, let destinations, !destinations.mayConnect(to: address) { return false }
        if !isReady { attempts.record(address) }
        return mayOpen()
    }

    /// What is known of the connection, or where none came about, of the addresses that were tried.
    var info: ConnectionInfo? {
        if isReady || !wasOpened { return isReady ? connectionInfo : nil }
        return kept?.newInfo(attempts.addresses, isOpen: false)
    }

    /// The destination that the policy refused, if that is why the exchange failed.
    var refusedDestination: DestinationGuard.Refusal? { destinations?.refusal(afterOpening: wasOpened) }

    /// Whether it was ended because its server sent without end.
    var isFlooded: Bool { floodMark?.isSet ?? false }

    /// What came of opening a socket.
    mutating func note(_ socket: curl_socket_t) {
        if socket != CURL_SOCKET_BAD {
            kept?.noteSocket(socket)
        } else if SystemError.current.meansOutOfDescriptors {
            isOutOfDescriptors = true
        }
    }

    /// A connection between those ends is ready, and the request about to go out. False where it must not: the second time,
    /// to a destination that is refused, and on a kept connection that is not fit.
    mutating func maySend(between ends: CurlEndpoints) -> Bool {
        let hasMoved = route.localPort != ends.localPort || route.remotePort != ends.remotePort
        route.note(ends)
        hasRefusedResend = isReady
        guard !hasRefusedResend, destinations?.mayUse(ends) ?? true else { return false }
        if wasOpened {
            connectionInfo = kept?.newInfo(attempts.addresses)
            kept?.noteOpened(route, connectionInfo)
        } else {
            if connectionInfo == nil || hasMoved { connectionInfo = kept?.info(of: route) }
            isUnfit = kept?.isFit(route) == false
            guard !isUnfit else { return false }
        }
        floodMark = kept?.mark(route)
        isReady = true
        return true
    }
}
