import HTTPCore

/// The limits of time as they can be kept where nothing shows when a connection stands.
enum SilenceTimeouts {
    /// Until the first sign of life, connecting and one idle time together; without an idle timeout there is no limit
    /// to that but the call's own.
    static func of(_ timeouts: Timeouts) -> Timeouts {
        var timeouts = timeouts
        timeouts.connect = timeouts.idle.map { (timeouts.connect ?? .zero) + $0 }
        return timeouts
    }
}
