extension TransportContract {
    /// A behaviour that an engine does not hold, and why.
    public struct Exclusion: Sendable, Hashable {
        /// The name of the case.
        public let name: String
        /// Half a sentence for a reader who has to choose an engine.
        public let reason: String
        /// Whether the case is run all the same, to notice the day on which it holds.
        public let isTried: Bool

        /// A behaviour that an engine does not hold, and why.
        ///
        /// - Parameters:
        ///   - name: The name of the case.
        ///   - reason: Why it is not held.
        ///   - isTried: False where running it does harm: it ends the process, or never ends.
        public init(_ name: String, because reason: String, isTried: Bool = true) {
            self.name = name
            self.reason = reason
            self.isTried = isTried
        }
    }
}
