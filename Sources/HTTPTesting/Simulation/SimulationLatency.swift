/// How long a simulated server takes from the request to the first byte of its answer.
public struct SimulationLatency: Sendable {
    /// By the number of the exchange in its world, from 1, and a number from 0 up to 1.
    let duration: @Sendable (Int, Double) -> Duration

    /// Always as long.
    public static func constant(_ duration: Duration) -> SimulationLatency { SimulationLatency { _, _ in duration } }

    /// A distribution, by its quantiles: `{ share in .milliseconds(20) + .milliseconds(200) * share }` is uniform.
    ///
    /// - Parameter quantile: Returns the duration that this share of all answers does not exceed. The share is at least 0 and
    ///   below 1.
    public static func distributed(_ quantile: @escaping @Sendable (_ share: Double) -> Duration) -> SimulationLatency {
        SimulationLatency { quantile($1) }
    }

    /// Half of the answers take up to `median`, a quarter up to twice as long, an eighth up to four times, and so on, up to 64
    /// times.
    public static func around(_ median: Duration) -> SimulationLatency {
        distributed { share in
            var (longest, left) = (1.0, 1 - share)
            while left <= 0.5, longest < 64 { (longest, left) = (longest * 2, left * 2) }
            return median * (longest * (1 - left / 2))
        }
    }

    /// Those of real answers.
    ///
    /// - Parameters:
    ///   - durations: The durations, as a log or an `HTTPArchive` has them. None stands for no time.
    ///   - inOrder: Whether the nth exchange of each world takes the nth duration, and after the last one the first again. By
    ///     default each takes one of them, as the seed decides.
    public static func recorded(_ durations: [Duration], inOrder: Bool = false) -> SimulationLatency {
        guard !durations.isEmpty else { return .constant(.zero) }
        return SimulationLatency { number, share in
            durations[inOrder ? (number - 1) % durations.count : Int(share * Double(durations.count))]
        }
    }
}
