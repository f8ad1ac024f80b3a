/// The history of a call before its last exchange. An object that is made only if needed, so that the metrics of a call with one
/// exchange stay small.
final class CallPrelude: Sendable, Hashable {
    struct Values: Sendable, Hashable {
        /// The id of the call, if it differs from that of its last exchange.
        var id: CallID?
        /// When the last exchange began, counted from the start of the call.
        var start = Duration.zero
        /// The exchanges before the last one.
        var attempts: [CallAttempt] = []
        var waits: [CallWait] = []
        /// The time spent on decoding the body.
        var decoding = Duration.zero
        /// `CallAttempt.handover` of the last exchange.
        var handover = Duration.zero
    }

    let values: Values

    init(_ values: Values) { self.values = values }

    static func == (one: CallPrelude, other: CallPrelude) -> Bool { one === other || one.values == other.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension CallPrelude.Values {
    /// Shifts all times for a call that began this much earlier.
    mutating func shift(by time: Duration) {
        start += time
        for index in attempts.indices { attempts[index].start += time }
        for index in waits.indices { waits[index].start += time }
    }
}
