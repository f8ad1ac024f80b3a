import HTTPSupport

/// Makes the calls of a source in one event loop, on the caller's thread.
struct CurlBatch {
    let source: any CallSource
    let defaultVersion: VersionPolicy
    /// Whose slot the thread has; nil for a thread without one.
    private let holder = ThreadRole.holder

    /// Makes all calls, and returns when the last one is over.
    func run(in loop: CurlEventLoop) {
        let registration = source.batch.token?.onCancel { loop.noteCancellation() }
        defer { registration?.remove() }
        loop.connections.expect(calls: source.batch.mostActive)
        source.run(wake: { loop.wake() }) { CurlLibrary.shared.guardingBrokenPipe { makeCalls(in: loop) } }
        loop.rest()
    }

    /// Keeps the connections of the running calls and of those that may still start. It is asked after each socket,
    /// because the last calls may all end in one round of the loop.
    private func limitConnections(of loop: CurlEventLoop, running: Int, remaining: Int) {
        loop.connections.limit(active: min(source.batch.mostActive, running + remaining))
    }

    private func makeCalls(in loop: CurlEventLoop) {
        while true {
            while let call = source.next(active: loop.active) { start(call, in: loop) }
            let remaining = source.remaining(active: loop.active)
            limitConnections(of: loop, running: loop.active, remaining: remaining)
            guard loop.active > 0 || !source.isOver else { return }
            var time = loop.runDue()
            if let due = source.nextDue { time = min(time, Deadlines.pollMilliseconds(until: due, at: .now)) }
            func poll() {
                loop.runReady(within: time) { limitConnections(of: loop, running: $0, remaining: remaining) }
            }
            // All calls wait in their policies, perhaps for one that needs the slot. It is kept where as many wait as may.
            let isIdle = loop.active == 0 && time > 0
            if !isIdle || holder?.wait(poll) == nil { poll() }
        }
    }

    /// Starts a call once the thread has its slot, if it has given that up.
    private func start(_ call: SourcedCall, in loop: CurlEventLoop) {
        switch holder?.retakeSlot(for: call.request, within: call.deadline) {
        case .failed(let error): call.owner.finish(.failure(error))
        case .granted, nil:
            let next = CurlCall(call.request, within: call.deadline, defaultVersion: defaultVersion)
            loop.start(next, for: call.owner)
        }
    }
}
