public import HTTPCore

/// The result of a simulation.
public struct ReplayReport: Sendable, Hashable {
    /// The result of one call.
    public struct Call: Sendable, Hashable {
        /// `GET https://api.example.com/orders`, secrets masked.
        public let request: String
        /// The start, relative to that of the first call.
        public let start: Duration
        /// The time until its result, including waits.
        public let latency: Duration
        /// The number of attempts.
        public let attempts: Int
        /// The status; nil for a call without a response.
        public let status: HTTPStatus?

        /// Whether it has a response below 400.
        public var isSuccess: Bool { status.map { $0.rawValue < 400 } ?? false }
    }

    /// The calls in order of their start.
    public let calls: [Call]
    /// The total number of requests.
    public let attempts: Int
    /// The largest number of concurrent requests.
    public let mostAtOnce: Int
    /// The number of requests in the busiest second.
    public let mostPerSecond: Int

    /// The number of calls without a response below 400.
    public var failures: Int { calls.count { !$0.isSuccess } }

    /// The latency at a quantile: `latency(0.99)`. Zero without calls.
    public func latency(_ share: Double) -> Duration {
        let sorted = calls.map(\.latency).sorted()
        guard !sorted.isEmpty else { return .zero }
        let rank = Int((Double(sorted.count) * min(max(share, 0), 1)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}

extension ReplayReport: CustomStringConvertible {
    /// One line of text.
    public var description: String {
        "\(calls.count) calls, \(failures) failed; p50 \(latency(0.5)), p99 \(latency(0.99)); \(attempts) requests, at most "
            + "\(mostAtOnce) at once and \(mostPerSecond) in a second"
    }
}
