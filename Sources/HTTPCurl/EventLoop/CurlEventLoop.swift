import CLibcurl
import HTTPCore
import Synchronization

/// Makes many calls on one thread: a multi handle, the transfers in it, and the wait for their sockets.
///
/// Calls are given to it. Its owner calls `runDue` and `runReady` in turn for as long as calls are under
/// way: a batch on its caller's thread, an agent on one that a dispatcher lends. What a call does next is `CurlCall`'s to say.
///
/// It is used by one thread at a time; the pool hands it from one to the next, with its connections. Others may wake it
/// meanwhile and tell it of cancellations.
final class CurlEventLoop: @unchecked Sendable {
    let multi: CurlMulti
    let sockets: CurlSocketTable
    let connections: CurlLoopConnections
    /// Whether some call was cancelled since it last looked.
    private let isAnyCancelled = Atomic(false)
    // One thread at a time has these, and the compiler cannot see that.
    @exclusivity(unchecked) private(set) var slots: [CurlSlot] = []
    @exclusivity(unchecked) private var vacancies: [Int32] = []
    let log = CurlProgressLog()
    /// How many calls are under way.
    @exclusivity(unchecked) private(set) var active = 0
    /// The places of transfers that are behind with what has come.
    @exclusivity(unchecked) private var behind: [Int32] = []
    /// No deadline passes before then.
    @exclusivity(unchecked) private var nextLook: TimePoint?
    /// When all transfers are looked at next: libcurl can lose a timer of its own.
    @exclusivity(unchecked) private var nextRound = TimePoint.now

    init(
        _ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists, _ watch: FloodWatch? = nil
    ) throws(Unsupported) {
        sockets = try CurlSocketTable()
        multi = try CurlMulti(listener: sockets, watch: watch)
        connections = CurlLoopConnections(configuration, headerLists, multi, log)
    }

    // MARK: From any thread

    /// Ends a wait, or the next one.
    func wake() { sockets.waker.wake() }

    /// A call that it may have was cancelled.
    func noteCancellation() {
        // The flag goes first: a wake-up may be lost.
        isAnyCancelled.store(true, ordering: .sequentiallyConsistent)
        wake()
    }

    // MARK: Calls

    /// Starts a call. It may be over, and told so, before this returns.
    func start(_ call: consuming CurlCall, for owner: any LoopCall) {
        let slot = vacancy()
        let start = call.startOfExchange
        slot.owner = owner
        slot.call = consume call
        active += 1
        begin(slot, at: start)
    }

    /// Does what can be done without waiting. Returns how long there will be nothing else to do, in milliseconds.
    func runDue(at now: TimePoint = .now) -> Int32 {
        for place in takeBehind() { catchUp(slots[Int(place)]) }
        let isRound = now >= nextRound
        if isRound { nextRound = now.advanced(by: .seconds(1)) }
        guard (isRound ? multi.socketActionAll() : multi.socketAction()) != nil else {
            endAll(.done(CURLE_FAILED_INIT))
            return 0
        }
        let now = TimePoint.now
        if settle(at: now) || !behind.isEmpty { return 0 }
        let next = nextLook.map { min($0, nextRound) } ?? nextRound
        let due = multi.timeout.map { Int32(clamping: $0) } ?? .max
        return min(due, Deadlines.pollMilliseconds(until: next, at: now))
    }

    /// Waits until a socket is ready, somebody wakes it or the time has passed, and does what can be done then.
    func runReady(within milliseconds: Int32) {
        sockets.wait(milliseconds: milliseconds)
        for event in sockets.events where sockets.waits(for: event.socket) {
            guard multi.socketAction(on: event.socket, ready: event.readiness) != nil else {
                return endAll(.done(CURLE_FAILED_INIT))
            }
        }
        _ = settle(at: .now)
    }

    /// Lets go of what a crowd of calls has left behind. Only where none is under way.
    func rest() {
        guard slots.count > connections.mostTransfers else { return }
        // A transfer may be over and still be noted as behind.
        (slots, vacancies, behind) = ([], [], [])
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
        if let owner = slot.owner, owner.isCancelled, let call = slot.call {
            return conclude(slot, .failure(call.cancellation))
        }
        do throws(Unsupported) {
            let transfer = try transfer(for: slot)
            transfer.requestOptions.mayFindConnection = transfer.mayMultiplex || connections.openedCount > 0
            transfer.receive(atOnce: ReceiveBuffer.size(of: active, after: transfer.lastBodyByteCount))
            if let ending = slot.call?.begin(in: transfer, at: now) ?? multi.add(transfer) {
                guard let result = slot.call?.finish(ending, in: transfer, at: now) else { return }
                conclude(slot, result)
            } else {
                look(at: slot.call?.deadlines.next)
            }
        } catch {
            guard let request = slot.call?.plan.request else { return }
            conclude(slot, .failure(HTTPError(error, sending: request)))
        }
    }

    /// That of the call before, if it leads to the same place: then nothing has to be looked up.
    private func transfer(for slot: CurlSlot) throws(Unsupported) -> CurlTransfer {
        if let transfer = slot.transfer {
            if slot.call?.fits(transfer) == true, !transfer.isSpent { return transfer }
            slot.transfer = nil
            connections.keep(transfer)
        }
        guard let key = slot.call?.key else { throw Unsupported("a transfer", "there is no call") }
        let transfer = try connections.transfer(for: key)
        transfer.exchange.slot = slot.place
        slot.transfer = transfer
        return transfer
    }

    // MARK: Going on

    /// Sees to whatever has come. Whether a call was over.
    private func settle(at now: TimePoint) -> Bool {
        noteProgress(at: now)
        let isAnyDone = endDone(at: now)
        if isAnyCancelled.load(ordering: .relaxed), isAnyCancelled.exchange(false, ordering: .acquiringAndReleasing) {
            for slot in slots where slot.owner?.isCancelled == true { end(slot, .cancelled, at: now) }
        }
        endOverdue(at: now)
        return isAnyDone
    }

    /// The log is emptied place by place: a loop over it would hold on to the array, and emptying that at the end costs as
    /// much as all the rest.
    private func noteProgress(at now: TimePoint) {
        while let place = log.slots.popLast() {
            let slot = slots[Int(place)]
            guard let transfer = slot.transfer else { continue }
            transfer.exchange.hasProgressed = false
            look(at: slot.call?.deadlines.noteProgress(at: now, isConnected: transfer.exchange.isConnected))
            if transfer.exchange.receiver.isFollowedRedirect { look(at: slot.call?.deadlines.noteDraining(at: now)) }
            if transfer.exchange.isBehind { behind.append(place) }
        }
    }

    private func takeBehind() -> [Int32] {
        guard !behind.isEmpty else { return [] }
        defer { behind = [] }
        return behind
    }

    private func catchUp(_ slot: CurlSlot) {
        guard slot.call != nil, let transfer = slot.transfer, transfer.exchange.isBehind else { return }
        if let ending = transfer.catchUp() { end(slot, ending, at: .now) }
    }

    private func look(at instant: TimePoint?) {
        guard let instant else { return }
        nextLook = nextLook.map { min($0, instant) } ?? instant
    }

    // MARK: Ending

    private func endDone(at now: TimePoint) -> Bool {
        var isAnyDone = false
        while let (easy, code) = multi.nextDone() {
            guard let place = CurlTransfer.slot(of: easy) else { continue }
            end(slots[Int(place)], .done(code), at: now)
            isAnyDone = true
        }
        return isAnyDone
    }

    /// All are looked at together, and that no more often than the nearest deadline asks for.
    private func endOverdue(at now: TimePoint) {
        guard let due = nextLook, due <= now else { return }
        nextLook = nil
        for slot in slots {
            guard let deadlines = slot.call?.deadlines else { continue }
            if let ending = TransferResult(deadlines, at: now) { end(slot, ending, at: now) }
            look(at: slot.call?.deadlines.next)
        }
    }

    private func endAll(_ ending: TransferResult) {
        let now = TimePoint.now
        for slot in slots where slot.call != nil { end(slot, ending, at: now) }
    }

    /// An exchange is over; its call may not be.
    private func end(_ slot: CurlSlot, _ ending: TransferResult, at now: TimePoint) {
        guard let transfer = slot.transfer else { return }
        multi.remove(transfer)
        transfer.recordEndpoints()
        if !transfer.isReused { connections.openedCount += 1 }
        // Not at a time noted before others were told of their results, which may have taken long.
        guard let result = slot.call?.finish(ending, in: transfer, at: now) else { return begin(slot, at: .now) }
        conclude(slot, result)
    }

    @inline(__always)
    private func conclude(_ slot: CurlSlot, _ result: consuming Result<Response, HTTPError>) {
        guard let owner = slot.owner else { return }
        slot.owner = nil
        slot.call = nil
        vacancies.append(slot.place)
        active -= 1
        owner.finish(result)
    }
}
