import HTTPCore

/// The timeouts for an engine that does not report when a connection is established.
enum SilenceTimeouts {
    /// Until the first sign of a connection, the connect and the idle timeout apply together. Without an idle timeout
    /// only the call's own limit applies.
    static func of(_ timeouts: Timeouts) -> Timeouts {
        var timeouts = timeouts
        timeouts.connect = timeouts.idle.map { (timeouts.connect ?? .zero) + $0 }
        return timeouts
    }
}
