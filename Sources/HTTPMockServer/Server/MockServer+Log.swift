import HTTPTesting

/// The log of the server. Each property is a snapshot.
extension MockServer {
    /// Which requests a server keeps. All are counted.
    public enum Recording: Sendable, Hashable {
        /// Every request. Memory grows with each.
        case all
        /// None.
        case none
    }

    /// The kept requests, in the order in which they were completed, including those taken.
    public var requests: [ReceivedRequest] { core.log.state.read { $0.requests } }

    /// How many requests have arrived, kept or not.
    public var requestCount: Int { core.log.state.read { $0.requestCount } }

    /// How many connections were accepted.
    public var connectionCount: Int { core.log.state.read { $0.connectionCount } }

    /// The number of open connections.
    public var openConnectionCount: Int { core.log.state.read { $0.openConnections.count } }

    /// The incomplete or invalid requests and failed handshakes; the last 1,000.
    public var protocolViolations: [MockServer.ProtocolViolation] { core.log.state.read { $0.protocolViolations } }
}
