/// Ports on which connecting fails. Each is found once and kept until the process ends, so that the system gives it to no
/// other program.
extension MockServer {
    /// A port of 127.0.0.1 on which nothing listens: connecting to it is refused.
    ///
    /// - Throws: `MockServerError.system` when no port can be bound, each time from then on.
    public static func unusedPort() throws(MockServerError) -> Int { try unusedListener.get().endpoint.port }

    /// A port of 127.0.0.1 that answers no connection attempt, because its backlog is full: connecting continues until
    /// the client gives up.
    ///
    /// - Throws: `MockServerError.system` when no port can be bound, each time from then on.
    public static func unansweredPort() throws(MockServerError) -> Int { try unansweredListener.get().endpoint.port }

    private static let unusedListener = Result { () throws(MockServerError) in
        try LoopbackListener(binding: .ipv4(), backlog: nil)
    }

    private static let unansweredListener = Result { () throws(MockServerError) in
        let listener = try LoopbackListener(binding: .ipv4(), backlog: 0)
        try listener.fillQueue()
        return listener
    }
}
