extension TransportContract {
    /// A behaviour that does not hold: what was expected, what happened, and what the servers received.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The name of the case.
        public let name: String
        /// The expectation.
        public let expected: String
        /// What happened instead.
        public let actual: String
        /// What each server of the case received, a line each.
        public let received: [String]
        /// Why the case could not be tried; nil if it was.
        let obstacle: (any Error)?

        init(_ behaviour: Case, _ breach: ContractViolation, received: [String]) {
            name = behaviour.name
            expected = breach.expected
            actual = breach.actual
            obstacle = breach.obstacle
            self.received = received
        }

        init(outdated exclusion: Exclusion) {
            name = exclusion.name
            expected = "that it does not hold, because \(exclusion.reason)"
            actual = "that it does: remove the exclusion"
            received = []
            obstacle = nil
        }

        public var description: String {
            let lines = ["\(name)", "expected: \(expected)", "came:     \(actual)"]
            return (lines + received.map { "received: \($0)" }).joined(separator: "\n  ")
        }
    }
}
