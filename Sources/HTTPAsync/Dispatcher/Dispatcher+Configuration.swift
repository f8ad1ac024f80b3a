extension Dispatcher {
    /// The limits of a dispatcher.
    public struct Configuration: Sendable, Hashable {
        /// The total number of calls that run at once: 64 by default; below 1 counts as 1. Each has a thread, except
        /// those that a transport, also inside the package's interceptors, makes on one thread because they wait for
        /// nothing but the network; thousands are fine.
        public var running: Int
        /// The number of calls to one host that run at once, and with that of connections to it over HTTP/1.1: 8 by
        /// default; below 1 counts as 1. Calls to other hosts are not delayed by it.
        public var runningPerHost: Int
        /// The number of calls that may wait for a slot, and of those that may wait in a policy: 10,000 by default. One
        /// more of either fails with an `Overload`. Inside a blocking closure each call that waits in a policy keeps a
        /// thread.
        public var queued: Int
        /// How long an idle thread is kept: 10 s by default.
        public var idleTime: Duration
        /// The stack of each thread: 1 MiB; memory is used as needed. A program's own recursive types may need it: the
        /// system's decoder recurses 512 levels. 1 GiB at most. If it is too small for the system, the
        /// stack has the system's default size.
        public var stackBytes: Int

        /// Limits; one that is left out has its default. `running` and `runningPerHost` count running calls, `queued`
        /// waiting ones.
        public init(
            running: Int = 64, runningPerHost: Int = 8, queued: Int = 10_000, idleTime: Duration = .seconds(10),
            stackBytes: Int = 1 << 20
        ) {
            self.running = running
            self.runningPerHost = runningPerHost
            self.queued = queued
            self.idleTime = idleTime
            self.stackBytes = stackBytes
        }
    }
}
