/// The subject of a timer.
enum TimerSubject: Sendable {
    /// The deadline of a waiting call, or the grace period of a cancelled one.
    case call(Ticket)
    case alarm(any Alarm)
}

/// A waiter for a certain time.
package protocol Alarm: AnyObject, Sendable {
    /// Whether it still waits.
    var isPending: Bool { get }

    /// The time has come. Must return quickly.
    func fire()
}
