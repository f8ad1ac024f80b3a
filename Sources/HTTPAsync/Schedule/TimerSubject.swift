/// What a time comes for.
enum TimerSubject: Sendable {
    /// The deadline of a call that waits, or the grace of one that is cancelled.
    case call(Ticket)
    case alarm(any Alarm)
}

/// Somebody who waits for a time.
protocol Alarm: AnyObject, Sendable {
    /// Whether it is still waited for.
    var isPending: Bool { get }

    /// The time has come. It must not take long.
    func fire()
}
