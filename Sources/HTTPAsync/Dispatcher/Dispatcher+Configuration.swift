extension Dispatcher {
    /// How much a dispatcher does at once, and how much it keeps waiting.
    public struct Configuration: Sendable, Hashable {
        /// How many calls run at once, in all. Each has a thread, but for those that a plain transport makes on one; thousands
        /// are fine.
        public var running: Int
        /// How many calls to one host run at once. Those to other hosts are not held up by the rest.
        public var runningPerHost: Int
        /// How many calls may wait for a slot, and how many more for what `.rateLimit`, `.retry` and `.bearer` have them wait
        /// for. One more of either fails with `.overloaded`.
        public var queued: Int
        /// How long a thread without work stays.
        public var idleTime: Duration
        /// The stack of each thread: 1 MiB, of which it uses what it needs. A recursive type of one's own may take it: the
        /// system's decoder goes 512 levels deep.
        public var stackBytes = 1 << 20

        /// Limits; one that is left out has its default. `running` and `runningPerHost` count calls under way, `queued`
        /// those that wait.
        public init(
            running: Int = 64, runningPerHost: Int = 8, queued: Int = 10_000, idleTime: Duration = .seconds(10)
        ) {
            self.running = running
            self.runningPerHost = runningPerHost
            self.queued = queued
            self.idleTime = idleTime
        }
    }
}
