import HTTPCore
import Synchronization

@testable import HTTPAsync

/// What the tests of several files ask of a dispatcher, in its own words.
extension Dispatcher {
    /// One whose threads `start` starts. It gets a thread's body, and says whether there is a thread.
    static func starting(
        _ configuration: Configuration = Configuration(),
        by start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool
    ) -> Dispatcher { Dispatcher(configuration, startThread: start) }

    /// Starts a thread like those of a dispatcher.
    static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        Worker.startThread(stackBytes: 512 << 10, body)
    }

    /// The worker whose thread this is.
    static var worker: ObjectIdentifier? { Worker.current.map(ObjectIdentifier.init) }

    /// Whether this thread is one of its workers'.
    var isOnOwnThread: Bool { Worker.current?.pool === pool }

    /// Calls that have a slot, and calls that wait for one.
    var calls: (running: Int, queued: Int) { pool.schedule.withLock { ($0.running, $0.queue.count) } }
    func queuedCount(of priority: Priority) -> Int { pool.schedule.withLock { $0.queue.count(of: priority) } }

    /// Submits a call as of low priority that has got a high one on its way into the queue.
    func submitRaised(
        _ request: Request, with client: any HTTPClient,
        _ report: @escaping @Sendable (Result<Response, HTTPError>) -> Void
    ) {
        let call = call(client, request, to: .report(report))
        call.job.pool.raise(call.job, to: .high)
        start(call, priority: .low)
    }

    /// Calls that have had a slot, and wait in a policy without one.
    var waitingCount: Int { pool.waiters.load(ordering: .relaxed) }

    /// The waits of calls that queue, for a slot at their host and for any.
    static func waitAtHost(_ duration: Duration) -> CallWait { SlotLimit.host.wait(duration) }
    static func waitInAll(_ duration: Duration) -> CallWait { SlotLimit.total.wait(duration) }

    /// Alarms that are set.
    var alarmCount: Int { pool.schedule.withLock { $0.timekeeping.timers.count } }
}
