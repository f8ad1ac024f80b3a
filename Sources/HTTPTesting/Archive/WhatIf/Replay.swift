public import HTTPCore

/// What recorded calls would have come to under other policies: how long they take, how often the servers are asked, and
/// how many calls fail.
///
///     let replay = Replay(try HTTPArchive(contentsOf: "yesterday.har"))
///     print(replay.under { $0 })                                        // as it was
///     print(replay.under { $0.retry(RetryPolicy(limit: 2)).timeout(.seconds(5)) })
///
/// Each call begins when it began in the recording. Its first attempt takes as long and comes to the same as then. What a
/// server does with a further attempt nobody knows: it is drawn from what was recorded for the same method, host and path.
/// Time is simulated, so a day takes seconds. Draws and the jitter of retries come from the seed: the same seed gives the
/// same report.
///
/// An entry of the archive is a call; one that a redirect of the entry before leads to belongs to that call. Entries whose
/// request cannot be built are left out. Servers are not slower under more load, which a recording cannot tell.
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

        /// With retries; the jitter of their waits comes from the seed.
        public func retry(_ policy: RetryPolicy = RetryPolicy(), budget: RetryBudget = RetryBudget()) -> Policies {
            var policy = policy
            policy.backoff.jitter = { [random] in random.unit() }
            return adding(.retry(policy, budget: budget))
        }

        /// With a limit for each call as a whole, in place of the default of 60 s.
        public func timeout(_ duration: Duration) -> Policies { adding(.timeout(duration)) }

        /// With a limit for the wait for bytes, in place of the default of 30 s.
        public func idleTimeout(_ duration: Duration) -> Policies { adding(.idleTimeout(duration)) }

        /// With a limit for the time until there is a connection, in place of the default of 10 s.
        public func connectTimeout(_ duration: Duration) -> Policies { adding(.connectTimeout(duration)) }

        /// With a rate limit that all calls share.
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

    /// Makes the calls under the policies that `change` gives.
    public func under(_ change: (Policies) -> Policies) -> ReplayReport {
        let random = SeededRandom(seed)
        return Simulation(self, change(Policies(random: random)), SeededRandom(seed ^ 0x9E37_79B9_7F4A_7C15)).report()
    }
}

/// Numbers that depend on a seed alone (SplitMix64). Several policies may draw from one.
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

    /// From 0 up to 1.
    func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
