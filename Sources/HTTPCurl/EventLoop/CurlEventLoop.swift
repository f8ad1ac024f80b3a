import CLibcurl
import HTTPSupport
import Synchronization

/// Makes many calls on one thread: a multi handle, its transfers, and the wait for their sockets.
///
/// Its owner adds calls and calls `runDue` and `runReady` in turn while calls are running: a batch on its caller's
/// thread, an agent on a borrowed one. `CurlCall` decides the next step of a call.
///
/// One thread uses it at a time; the pool passes it on with its connections. Other threads may wake it, report
/// cancellations and resume transfers.
final class CurlEventLoop: @unchecked Sendable {
    let multi: CurlMulti
    let sockets: CurlSocketTable
    let connections: CurlLoopConnections
    /// Whether a call was cancelled since the last check.
    private let isAnyCancelled = Atomic(false)
    /// The slots of transfers whose reader has room again, or whose request body goes on.
    private let resumed = Locked<[Int32]>([])
    private let isAnyResumed = Atomic(false)
    // One thread at a time uses these; the compiler cannot check that.
    @exclusivity(unchecked) private(set) var slots: [CurlSlot] = []
    @exclusivity(unchecked) private var vacancies: [Int32] = []
    let log = CurlProgressLog()
    /// The number of running calls.
    @exclusivity(unchecked) private(set) var active = 0
    /// The time that the thread has spent on parts of tasks, which all calls waited for.
    @exclusivity(unchecked) var tasksTime = TimeSpan.zero
    /// The slots of transfers with data not yet processed.
    @exclusivity(unchecked) private var behind: [Int32] = []
    /// The origins of new connections that cannot be shared, or have failed.
    @exclusivity(unchecked) private var unshared: [Origin] = []
    /// No deadline passes before then.
    @exclusivity(unchecked) private var nextLook: TimePoint?
    /// When all transfers are checked next: libcurl can lose a timer.
    @exclusivity(unchecked) private var nextRound = TimePoint.now
    /// Closes the idle connections outside of this loop; returns whether there are descriptors now. Set once, by the pool.
    @exclusivity(unchecked) var closeOtherIdle: () -> Bool = { false }

    init(_ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists) throws(Unsupported) {
        sockets = try CurlSocketTable()
        multi = try CurlMulti(sockets)
        connections = CurlLoopConnections(configuration, headerLists, multi, log)
    }

    // MARK: From any thread

    /// Ends a wait, or the next one.
    func wake() { sockets.waker.wake() }

    /// A call that may be in this loop was cancelled.
    func noteCancellation() {
        // The flag is set first, because a wake-up may be lost.
        isAnyCancelled.store(true, ordering: .sequentiallyConsistent)
        wake()
    }

    private func resume(_ place: Int32) {
        resumed.withLock { $0.append(place) }
        isAnyResumed.store(true, ordering: .releasing)
        // A task on the loop's own thread has read on: the loop looks before it waits.
        if (ThreadRole.agent as? CurlAgent)?.isDriving(self) != true { wake() }
    }

    // MARK: Calls

    /// Starts a call. It may end, and report its result, before this returns.
    func start(_ call: consuming CurlCall, for owner: any LoopCall) {
        let slot = vacancy()
        let start = call.startOfExchange
        slot.owner = owner
        slot.call = consume call
        slot.tasksTimeBefore = tasksTime
        active += 1
        begin(slot, at: start)
    }

    /// Does all work that needs no waiting. Returns the time in milliseconds until there is more.
    func runDue(at now: TimePoint = .now) -> Int32 {
        guard !hasForked() else { return 0 }
        for place in takeBehind() { catchUp(slots[Int(place)]) }
        let isRound = now >= nextRound
        if isRound { nextRound = now.advanced(by: .seconds(1)) }
        guard (isRound ? multi.socketActionAll() : multi.socketAction()) != nil else {
            endAll(.done(CURLE_FAILED_INIT))
            return 0
        }
        let wasFull = multi.isFull
        if wasFull { multi.limitTotal(to: 0) }
        let now = TimePoint.now
        let isAnyDone = settle(at: now)
        // libcurl does not tell those that wait for one connection fewer. Behind `settle`, as in `wakeWaiting`.
        if wasFull { for slot in slots where slot.call != nil { addAgain(slot, at: now) } }
        if isAnyDone || !behind.isEmpty || isAnyResumed.load(ordering: .relaxed) { return 0 }
        let next = nextLook.map { min($0, nextRound) } ?? nextRound
        let due = multi.timeout.map { Int32(clamping: $0) } ?? .max
        return min(due, Deadlines.pollMilliseconds(until: next, at: now))
    }

    /// Waits until a socket is ready, it is woken or the time has passed, and does the work then due. `noteRunning`
    /// learns after each socket how many transfers are still running.
    func runReady(within milliseconds: Int32, noteRunning: (Int) -> Void = { _ in }) {
        guard !hasForked() else { return }
        sockets.wait(milliseconds: milliseconds)
        let woken = TimePoint.now
        for event in sockets.events where sockets.waits(for: event.socket) {
            guard let running = multi.socketAction(on: event.socket, ready: event.readiness) else {
                return endAll(.done(CURLE_FAILED_INIT))
            }
            noteRunning(running)
        }
        _ = settle(at: .now, overdueAt: woken)
    }

    /// Whether the caller's code, which got a result, has forked this process: the connections are the parent's, and the
    /// other calls fail.
    private func hasForked() -> Bool {
        guard multi.isOfAncestor else { return false }
        endAll(.forked)
        return true
    }

    /// Releases surplus transfers and buffers. Only when no call is running.
    func rest() {
        guard slots.count > connections.mostTransfers else { return }
        // A finished transfer may still be listed.
        (slots, vacancies, behind, log.slots) = ([], [], [], [])
    }

    // MARK: Starting

    private func vacancy() -> CurlSlot {
        if let place = vacancies.popLast() { return slots[Int(place)] }
        let slot = CurlSlot(place: slots.count)
        slots.append(slot)
        return slot
    }

    /// Begins the next exchange of a call.
    private func begin(_ slot: CurlSlot, at now: TimePoint) {
        if let owner = slot.owner, owner.isCancelled { return fail(slot) { $0.cancellation } }
        do throws(Unsupported) {
            if multi.isOfAncestor { throw .forked }
            let transfer = try transfer(for: slot)
            transfer.requestOptions.mayFindConnection = transfer.mayMultiplex || connections.openedCount > 0
            transfer.receive(atOnce: ReceiveBuffer.size(of: active, after: transfer.lastBodyByteCount))
            if let ending = slot.call?.begin(in: transfer, at: now) ?? multi.add(transfer) {
                guard let result = slot.call?.finish(ending, in: transfer, at: now, makeRoom: { false }) else { return }
                conclude(slot, result)
            } else {
                look(at: slot.call?.deadlines.next)
            }
        } catch {
            fail(slot) { HTTPError(error, sending: $0.plan.request) }
        }
    }

    private func fail(_ slot: CurlSlot, with error: (CurlCall) -> HTTPError) {
        guard let failure = slot.call.map(error), let result = slot.call?.fail(with: failure) else { return }
        conclude(slot, result)
    }

    /// The header list of the previous call, if it goes to the same origin: this saves the look-up.
    private func transfer(for slot: CurlSlot) throws(Unsupported) -> CurlTransfer {
        if let transfer = slot.transfer {
            if slot.call?.fits(transfer) == true { return transfer }
            slot.transfer = nil
            connections.keep(transfer)
        }
        guard let key = slot.call?.key else { throw Unsupported("a transfer", "there is no call") }
        let transfer = try connections.transfer(for: key)
        transfer.exchange.slot = slot.place
        let resume: @Sendable () -> Void = { [weak self, place = slot.place] in self?.resume(place) }
        (transfer.exchange.body.resume, transfer.exchange.resumeUpload) = (resume, resume)
        slot.transfer = transfer
        return transfer
    }

    // MARK: Going on

    /// Handles all events. Returns whether one of the calls that ran ended. `woken`: when the wait before them ended; nil if
    /// there was none, and then no call is ended for its time. What has passed since is the time of closures, in which no
    /// socket was read: an answer may have come.
    private func settle(at now: TimePoint, overdueAt woken: TimePoint? = nil) -> Bool {
        let running = active
        noteProgress(at: now)
        let isAnyDone = endDone(at: now)
        if !unshared.isEmpty { wakeWaiting(at: now) }
        if isAnyCancelled.load(ordering: .relaxed), isAnyCancelled.exchange(false, ordering: .acquiringAndReleasing) {
            for slot in slots where slot.owner?.isCancelled == true { end(slot, .cancelled, at: now) }
        }
        if let woken { endOverdue(at: woken) }
        return isAnyDone || active < running
    }

    /// The list is emptied by index: a loop over it would retain the array, and emptying that afterwards costs as much
    /// as all the rest.
    private func noteProgress(at now: TimePoint) {
        while let place = log.slots.popLast() {
            let slot = slots[Int(place)]
            guard let transfer = slot.transfer else { continue }
            slot.call?.deadlines.noteProgress(of: transfer, at: now)
            look(at: slot.call?.deadlines.next)
            if transfer.exchange.isBehind { behind.append(place) }
            if let code = transfer.exchange.codeAfterClose { end(slot, .done(code), at: now) }
            if transfer.exchange.connection.isNewHTTP1 {
                transfer.exchange.connection.isNewHTTP1 = false
                if transfer.key.origin.scheme == .https { unshared.append(transfer.key.origin) }
            }
        }
    }

    /// Has the calls go on that may wait to share a connection which speaks HTTP/1.1, or has failed: each needs one of its own,
    /// and its time to connect begins now. libcurl wakes one of them at most. Behind `endDone`: what has ended waits for
    /// nothing.
    private func wakeWaiting(at now: TimePoint) {
        defer { unshared = [] }
        for slot in slots where slot.call != nil {
            guard let transfer = slot.transfer, transfer.mayMultiplex, unshared.contains(transfer.key.origin),
                !transfer.exchange.connection.isReady, !transfer.exchange.connection.wasWoken
            else { continue }
            transfer.exchange.connection.wasWoken = true
            slot.call?.restartConnecting(in: transfer, at: now)
            look(at: slot.call?.deadlines.next)
            addAgain(slot, at: now)
        }
    }

    /// Has a transfer begin again that has no connection yet. One that is looking up a name begins that again, too.
    private func addAgain(_ slot: CurlSlot, at now: TimePoint) {
        guard let transfer = slot.transfer, !transfer.exchange.connection.isReady,
            !transfer.exchange.connection.wasOpened
        else { return }
        multi.remove(transfer)
        if let ending = multi.add(transfer) { end(slot, ending, at: now) }
    }

    private func takeBehind() -> [Int32] {
        if isAnyResumed.load(ordering: .relaxed), isAnyResumed.exchange(false, ordering: .acquiring) {
            let resumed = resumed.withLock { resumed in
                defer { resumed = [] }
                return resumed
            }
            // A slot may have gone since, or have another call.
            behind += resumed.filter { $0 < slots.count }
        }
        guard !behind.isEmpty else { return [] }
        defer { behind = [] }
        return behind
    }

    private func catchUp(_ slot: CurlSlot) {
        guard slot.call != nil, let transfer = slot.transfer,
            transfer.exchange.isBehind || transfer.exchange.body.isWaiting || transfer.exchange.upload.isHeld
        else { return }
        if let ending = transfer.catchUp() { end(slot, ending, at: .now) }
    }

    private func look(at instant: TimePoint?) {
        guard let instant else { return }
        nextLook = nextLook.map { min($0, instant) } ?? instant
    }

    // MARK: Ending

    /// In nanoseconds: 10 ms.
    private static let notedTime: Int64 = 10_000_000

    private static func wait(_ nanoseconds: Int64) -> CallWait {
        CallWait(
            .named("executor"), start: .zero, duration: .nanoseconds(nanoseconds),
            reason: "while the thread of its executor ran tasks instead of the event loop",
            advice: "let tasks suspend more often there, or do long work elsewhere")
    }

    private func endDone(at now: TimePoint) -> Bool {
        var isAnyDone = false
        while let (easy, code) = multi.nextDone() {
            guard let place = CurlTransfer.slot(of: easy) else { continue }
            end(slots[Int(place)], .done(code), at: now)
            isAnyDone = true
        }
        return isAnyDone
    }

    /// All are checked together, and only when the nearest deadline requires it.
    private func endOverdue(at now: TimePoint) {
        guard let due = nextLook, due <= now else { return }
        nextLook = nil
        for slot in slots {
            guard let transfer = slot.transfer else { continue }
            if let ending = slot.call?.deadlines.ending(of: transfer, at: now) { end(slot, ending, at: now) }
            look(at: slot.call?.deadlines.next)
        }
    }

    private func endAll(_ ending: TransferResult) {
        let now = TimePoint.now
        for slot in slots where slot.call != nil { end(slot, ending, at: now) }
    }

    /// An exchange has ended; its call may continue.
    private func end(_ slot: CurlSlot, _ ending: TransferResult, at now: TimePoint) {
        guard let transfer = slot.transfer else { return }
        if !multi.isOfAncestor { multi.remove(transfer) }
        if case .done(let code) = ending, code != CURLE_OK, transfer.mayMultiplex,
            transfer.exchange.connection.wasOpened, !transfer.exchange.connection.isReady,
            !transfer.exchange.connection.isOutOfDescriptors
        {
            unshared.append(transfer.key.origin)
        }
        transfer.recordEndpoints()
        if !transfer.isReused { connections.openedCount += 1 }
        // The clock is read again: delivering the results of others may have taken long.
        let result = slot.call?.finish(ending, in: transfer, at: now) { makeRoom() }
        if transfer.isSpent { slot.transfer = nil }
        guard let result else { return begin(slot, at: .now) }
        conclude(slot, result)
    }

    /// Closes idle connections for lack of descriptors. Those of this loop are closed by libcurl, the oldest first, when
    /// it opens one beyond the limit, which holds until it has run next.
    private func makeRoom() -> Bool {
        let hasRoom = closeOtherIdle()
        guard multi.connections.count >= needed else { return hasRoom }
        multi.limitTotal(to: multi.connections.count)
        return true
    }

    /// The number of connections that the running calls have or still need. Several streams share one.
    private var needed: Int {
        let connections = slots.lazy.filter { $0.owner != nil }.compactMap { $0.transfer?.exchange.connection }
        let shared = connections.filter { $0.isReady && $0.isHTTP2 }.map(\.route)
        return active - shared.count + Set(shared).count
    }

    @inline(__always)
    private func conclude(_ slot: CurlSlot, _ result: consuming Result<Response, HTTPError>) {
        guard let owner = slot.owner else { return }
        slot.owner = nil
        slot.call = nil
        vacancies.append(slot.place)
        active -= 1
        let waited = tasksTime.nanoseconds - slot.tasksTimeBefore.nanoseconds
        owner.finish(waited < Self.notedTime ? result : result.noting(Self.wait(waited)))
    }
}
