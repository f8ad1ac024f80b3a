import HTTPCore

/// A failure that a program adds.
package struct CircuitOpen: OtherFailure {
    package var record: CallRecord?
    package var wasSent: Bool
    package var isTransient: Bool
    package var text: String

    package init(
        record: CallRecord? = nil, wasSent: Bool = false, isTransient: Bool = false,
        text: String = "the circuit is open: try again in a minute"
    ) {
        (self.record, self.wasSent, self.isTransient, self.text) = (record, wasSent, isTransient, text)
    }

    package var name: String { "circuit_open" }
    package var sentence: String { text }
}
