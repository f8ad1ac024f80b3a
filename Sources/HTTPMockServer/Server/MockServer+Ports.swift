import HTTPSupport

/// Ports on which connecting fails. Each is found once and kept until the process ends, so that no other program can
/// listen there.
extension MockServer {
    /// A port of 127.0.0.1 on which nothing listens: connecting to it is refused.
    ///
    /// - Throws: `MockServerError.system` when no port can be bound.
    public static func unusedPort() throws(MockServerError) -> Int {
        try keptListener(in: unusedListener) { () throws(MockServerError) in
            try LoopbackListener(binding: .ipv4(), backlog: nil)
        }
    }

    /// A port of 127.0.0.1 that answers no connection attempt, because its backlog is full: connecting continues until
    /// the client gives up.
    ///
    /// - Throws: `MockServerError.system` when no port can be bound.
    public static func unansweredPort() throws(MockServerError) -> Int {
        try keptListener(in: unansweredListener) { () throws(MockServerError) in
            let listener = try LoopbackListener(binding: .ipv4(), backlog: 0)
            try listener.fillQueue()
            return listener
        }
    }

    private static let unusedListener = Locked<LoopbackListener?>(nil)
    private static let unansweredListener = Locked<LoopbackListener?>(nil)

    private static func keptListener(
        in place: Locked<LoopbackListener?>,
        orMake make: () throws(MockServerError) -> LoopbackListener
    ) throws(MockServerError) -> Int {
        if let kept = place.withLock(\.self) { return kept.endpoint.port }
        let made = try make()
        return place.withLock { kept in
            let listener = kept ?? made
            kept = listener
            return listener.endpoint.port
        }
    }
}
