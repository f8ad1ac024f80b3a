extension TransportContract {
    /// A behaviour that an engine does not have, with the reason.
    public struct Exclusion: Sendable, Hashable {
        /// The name of the case.
        public let name: String
        /// The reason in half a sentence, for readers who choose an engine.
        public let reason: String
        /// Whether the case runs anyway, to notice when it holds.
        public let isTried: Bool

        /// An exclusion.
        ///
        /// - Parameters:
        ///   - name: The name of the case.
        ///   - reason: Why it does not hold.
        ///   - isTried: False if running it is harmful: it ends the process or never returns.
        public init(_ name: String, because reason: String, isTried: Bool = true) {
            self.name = name
            self.reason = reason
            self.isTried = isTried
        }
    }
}
