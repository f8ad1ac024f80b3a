public import HTTPCore

/// What calls came to in a simulation.
public struct ReplayReport: Sendable, Hashable {
    /// What one call came to.
    public struct Call: Sendable, Hashable {
        /// `GET https://api.example.com/orders`, secrets masked.
        public let request: String
        /// Counted from the start of the first call.
        public let start: Duration
        /// Until its outcome, waits included.
        public let latency: Duration
        /// How often it was sent.
        public let attempts: Int
        /// Nil for a call without an answer.
        public let status: HTTPStatus?

        /// Whether it has an answer below 400.
        public var isSuccess: Bool { status.map { $0.rawValue < 400 } ?? false }
    }

    /// In the order in which they began.
    public let calls: [Call]
    /// How many requests were sent in all.
    public let attempts: Int
    /// How many were under way at the same time, at most.
    public let mostAtOnce: Int
    /// How many were sent in the busiest second.
    public let mostPerSecond: Int

    /// How many calls have no answer below 400.
    public var failures: Int { calls.count { !$0.isSuccess } }

    /// The latency that so much of the calls stay within: `latency(0.99)`. Zero without calls.
    public func latency(_ share: Double) -> Duration {
        let sorted = calls.map(\.latency).sorted()
        guard !sorted.isEmpty else { return .zero }
        let rank = Int((Double(sorted.count) * min(max(share, 0), 1)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}

extension ReplayReport: CustomStringConvertible {
    /// One line.
    public var description: String {
        "\(calls.count) calls, \(failures) failed; p50 \(latency(0.5)), p99 \(latency(0.99)); \(attempts) requests, at most "
            + "\(mostAtOnce) at once and \(mostPerSecond) in a second"
    }
}
