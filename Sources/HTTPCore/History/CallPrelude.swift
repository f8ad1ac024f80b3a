/// What a call did before its last exchange. An object that is made only if needed, so that the metrics of a call with one
/// exchange stay small.
package final class CallPrelude: Sendable, Hashable {
    /// Times are counted from the start of the call.
    package struct Values: Sendable, Hashable {
        /// The id of the call, if it differs from that of its last exchange.
        var id: CallID?
        /// The exchanges before the last one.
        package var attempts: [CallAttempt] = []
        /// The number of them, with those that were dropped.
        var attemptCount = 0
        var waits: [CallWait] = []
        /// How long all waits took.
        var waited = Duration.zero
        /// When the last exchange began.
        package var start = Duration.zero
        /// `CallAttempt.handover` of the last exchange.
        var handover = Duration.zero
    }

    let values: Values

    init(_ values: Values) { self.values = values }

    package static func == (one: CallPrelude, other: CallPrelude) -> Bool {
        one === other || one.values == other.values
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension CallPrelude.Values {
    mutating func append(_ wait: CallWait) {
        waits.record(wait)
        waited += wait.duration
    }

    /// Appends what a part of the call did that began at `start`, by its own clock.
    mutating func append(_ part: CallPrelude.Values, at start: Duration) {
        id = id ?? part.id
        for var attempt in part.attempts {
            attempt.start += start
            attempt.number += attemptCount
            attempts.record(attempt)
        }
        for var wait in part.waits {
            wait.start += start
            waits.record(wait)
        }
        attemptCount += part.attemptCount
        waited += part.waited
        (self.start, handover) = (start + part.start, part.handover)
    }
}
