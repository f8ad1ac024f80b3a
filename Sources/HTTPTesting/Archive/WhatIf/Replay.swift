public import HTTPCore

/// Simulates recorded calls under other policies: their latency, the number of requests, and the number of failures.
///
///     let replay = Replay(try HTTPArchive(contentsOf: "yesterday.har"))
///     print(replay.under { $0 })                                        // as it was
///     print(replay.under { $0.retry(RetryPolicy(limit: 2)).timeout(.seconds(5)) })
///
/// Each call begins at its recorded time. Its first attempt has the recorded duration and outcome. Further attempts are
/// drawn from those recorded for the same method, host and path. Time is simulated, so a day takes seconds. Draws and
/// the jitter of retries come from the seed: the same seed gives the same report.
///
/// An entry of the archive is a call. An entry that is the target of the redirect before it belongs to the same call.
/// Entries whose request cannot be built are skipped. Servers do not slow down under load, which a recording cannot
/// show.
public struct Replay: Sendable {
    let calls: [RecordedTraffic.Call]
    let outcomes: [RecordedTraffic.Key: [RecordedTraffic.Exchange]]
    let startDate: Double
    private let seed: UInt64

    /// The calls of an archive.
    public init(_ archive: HTTPArchive, seed: UInt64 = 1) {
        let traffic = RecordedTraffic(archive)
        (calls, outcomes, startDate) = (traffic.calls, traffic.outcomes, traffic.startDate)
        self.seed = seed
    }

    /// The policies of a simulation, in the order in which they are added: the first is the outermost.
    public struct Policies: Sendable {
        let random: SeededRandom
        var policies: [any CallPolicy] = []
        var steps: [RequestStep] = []

        /// Adds retries; the jitter comes from the seed.
        public func retry(_ policy: RetryPolicy = RetryPolicy(), budget: RetryBudget = RetryBudget()) -> Policies {
            var policy = policy
            policy.backoff.jitter = { [random] in random.unit() }
            return adding(.retry(policy, budget: budget))
        }

        /// Sets the total timeout of each call; the default is 60 s.
        public func timeout(_ duration: Duration) -> Policies { adding(.timeout(duration)) }

        /// Sets the idle timeout; the default is 30 s.
        public func idleTimeout(_ duration: Duration) -> Policies { adding(.idleTimeout(duration)) }

        /// Sets the connect timeout; the default is 10 s.
        public func connectTimeout(_ duration: Duration) -> Policies { adding(.connectTimeout(duration)) }

        /// Adds a rate limit that all calls share.
        public func rateLimit(_ limit: RateLimit) -> Policies { adding(.rateLimit(limit)) }

        private func adding(_ interceptor: Interceptor) -> Policies {
            var copy = self
            copy.policies += interceptor.policies ?? []
            return copy
        }

        private func adding(_ step: RequestStep) -> Policies {
            var copy = self
            copy.steps.append(step)
            return copy
        }
    }

    /// Simulates the calls under the policies that `change` returns.
    public func under(_ change: (Policies) -> Policies) -> ReplayReport {
        let random = SeededRandom(seed)
        return Simulation(self, change(Policies(random: random)), SeededRandom(seed ^ 0x9E37_79B9_7F4A_7C15)).report()
    }
}

/// Random numbers that depend on a seed alone (SplitMix64). Several policies may draw from one generator.
final class SeededRandom: Sendable {
    private let state: Locked<UInt64>

    init(_ seed: UInt64) { state = Locked(seed) }

    func next() -> UInt64 {
        var value = state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            return state
        }
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// In 0..<1.
    func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
