import HTTPCore

/// The subject of a timer.
enum TimerSubject: Sendable {
    /// The deadline of a waiting call, or the grace period of a cancelled one.
    case call(Ticket)
    case alarm(any Alarm)
}
