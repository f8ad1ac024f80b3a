#if canImport(CLibcurl)
import CLibcurl

/// Drives many calls in one multi handle, on one thread. What a call does next is `CurlCall`'s to say.
struct CurlLoop<Source: CurlCallSource & ~Copyable>: ~Copyable {
    private typealias Slot = CurlSlot<Source.Item>

    var source: Source
    private let hub: CurlHub
    private let limit: Int
    private var slots: [Slot] = []
    private var vacancies: [Int32] = []
    /// How many calls are under way.
    private(set) var active = 0
    /// How many of their exchanges began without a connection known to end on this machine.
    private var distant = 0
    /// How many calls there were at once, at most.
    var width: Int { slots.count }
    /// The places of transfers that are behind with what has come.
    private var behind: [Int32] = []
    /// No deadline passes before then.
    private var nextLook: TimePoint?

    /// At most `limit` calls at once.
    init(_ source: consuming Source, in hub: CurlHub, limit: Int) {
        self.source = source
        self.hub = hub
        self.limit = max(1, limit)
        // Left by a loop that came to a bad end.
        hub.log.slots.removeAll(keepingCapacity: true)
    }

    /// Starts what there is to start. Whether a call is under way then.
    mutating func fill() -> Bool {
        while active < limit, let item = source.next() { start(item, source.call(for: item)) }
        // Towards the end connections go one by one as they become idle. When all are idle it is too late.
        hub.limitConnections(active: source.isExhausted ? 0 : active)
        return active > 0
    }

    /// Does what can be done, tells who is done, and waits, unless somebody was.
    mutating func turn() {
        if !behind.isEmpty { catchUp() }
        guard hub.looksAtAll ? lookAtAll() : lookAtReady() else { return endAll(.done(CURLE_FAILED_INIT)) }
    }

    /// Gives the transfers back.
    mutating func close() {
        let now = TimePoint.now
        for slot in slots {
            if let transfer = slot.transfer { hub.keep(transfer, at: now) }
        }
        slots = []
    }

    // MARK: Turns

    // Deadlines are judged right behind a look at the sockets. The time before may have gone to others, who were told of
    // their results, and an answer may have come in it. False when libcurl cannot go on.

    private mutating func lookAtAll() -> Bool {
        guard hub.multi.perform() != nil else { return false }
        let now = TimePoint.now
        hub.note(moved: noteProgress(at: now), of: active)
        // There may be new calls by now, so a finished one is no time to sleep.
        if !settle(at: now), active > 0, source.mayWait() {
            hub.wait(milliseconds: timeLeft(at: now), from: now, looks: mayLook)
        }
        return true
    }

    private mutating func lookAtReady() -> Bool {
        guard hub.runDue(at: .now) else { return false }
        let now = TimePoint.now
        let (begun, underWay) = (noteProgress(at: now), active)
        let isAnyDone = endDone(at: now)
        answerAlarm(at: now)
        let time = isAnyDone || active == 0 ? 0 : timeLeft(at: now)
        guard hub.runReady(within: time > 0 && source.mayWait() ? time : 0, at: now) else { return false }
        let end = TimePoint.now
        // A request that goes out and its answer are one move.
        hub.note(moved: max(begun, noteProgress(at: end)), of: underWay)
        _ = settle(at: end)
        return true
    }

    /// Before the next wait, which is none.
    private mutating func catchUp() {
        let places = behind
        behind = []
        for place in places {
            let slot = slots[Int(place)]
            guard slot.call != nil, let transfer = slot.transfer, transfer.exchange.isBehind else { continue }
            if let ending = transfer.catchUp() { end(slot, ending, at: .now) }
        }
    }

    /// Sees to whatever has come of the transfers. Whether a call was done.
    private mutating func settle(at now: TimePoint) -> Bool {
        let isAnyDone = endDone(at: now)
        answerAlarm(at: now)
        endOverdue(at: now)
        return isAnyDone
    }

    /// Between two waits: what ended the one has left the flag up.
    private mutating func answerAlarm(at now: TimePoint) {
        if hub.alarm.answer() { endCancelled(at: now) }
    }

    /// Whether answers may come at once.
    private var mayLook: Bool { distant == 0 && active <= Patience.mostLookedFor }

    /// How long to wait at most, in milliseconds.
    private func timeLeft(at now: TimePoint) -> Int32 {
        behind.isEmpty ? Deadlines.pollMilliseconds(until: nextLook, at: now) : 0
    }

    // MARK: One call on a thread that may not sleep

    /// The transfer that would carry the next call, if nothing else is under way and its last exchange went over a
    /// connection that was there.
    var idleTransfer: CurlTransfer? {
        guard active == 0, hub.looksAtAll, let slot = vacancies.last, let transfer = slots[Int(slot)].transfer else {
            return nil
        }
        return transfer.isReused ? transfer : nil
    }

    /// Starts a call and does what can be done for it now. May look for what comes next for a moment, until that has come
    /// or it is interrupted.
    mutating func begin(_ item: Source.Item, looks: Bool, unless isInterrupted: () -> Bool) {
        let place = vacancies.last ?? Int32(slots.count)
        start(item, source.call(for: item))
        // As a lane does it: what is due is all of it, and libcurl is told of the socket as long as that is the only one.
        var isNoted = CurlLibrary.shared.keepsNotesOfSockets
        var step = isNoted ? hub.multi.act() : hub.multi.perform()
        var startOfLook: TimePoint?
        while active > 0 {
            guard step != nil else { return endAll(.done(CURLE_FAILED_INIT)) }
            let now = TimePoint.now
            let moved = noteProgress(at: now)
            hub.note(moved: moved, of: active)
            if settle(at: now) { return }
            // All of it is one look: an answer may come in many pieces.
            let start = startOfLook ?? now
            startOfLook = start
            guard active > 0, behind.isEmpty, looks, mayLook, start.span(to: now) < Patience.longestLook else { return }
            isNoted = isNoted && moved > 0 && slots[Int(place)].transfer?.exchange.isConnected == true
            let socket = isNoted ? hub.sockets.onlyReadable : nil
            guard hub.look(at: socket, from: start, unless: isInterrupted) else { return }
            step = socket.map { hub.multi.act(on: $0, ready: CURL_CSELECT_IN) } ?? hub.multi.perform()
            isNoted = socket != nil
        }
    }

    // MARK: Starting

    private mutating func start(_ item: Source.Item, _ call: consuming CurlCall) {
        let slot = vacancy()
        let start = call.startOfExchange
        slot.item = item
        slot.call = consume call
        active += 1
        begin(slot, at: start)
    }

    private mutating func vacancy() -> Slot {
        if let place = vacancies.popLast() { return slots[Int(place)] }
        let slot = Slot(place: slots.count)
        slots.append(slot)
        return slot
    }

    /// Begins the next exchange of a call.
    private mutating func begin(_ slot: Slot, at now: TimePoint) {
        if let item = slot.item, source.isCancelled(item), let call = slot.call {
            return conclude(slot, .failure(call.cancellation))
        }
        do throws(Unsupported) {
            let transfer = try transfer(for: slot, at: now)
            transfer.requestOptions.mayFindConnection = transfer.mayMultiplex || hub.openedCount > 0
            transfer.receive(atOnce: ReceiveBuffer.size(of: active, after: transfer.lastBodyByteCount))
            if let ending = slot.call?.begin(in: transfer, at: now) ?? hub.multi.add(transfer) {
                guard let result = slot.call?.finish(ending, in: transfer, at: now) else { return }
                conclude(slot, result)
            } else {
                if !transfer.isLocal {
                    slot.isDistant = true
                    distant += 1
                }
                look(at: slot.call?.deadlines.next)
            }
        } catch {
            guard let request = slot.call?.plan.request else { return }
            conclude(slot, .failure(HTTPError(error, sending: request)))
        }
    }

    /// That of the call before, if it leads to the same place: then nothing has to be looked up.
    private mutating func transfer(
        for slot: Slot, at now: TimePoint
    ) throws(Unsupported) -> CurlTransfer {
        if let transfer = slot.transfer {
            if slot.call?.fits(transfer) == true, hub.isFit(transfer, active: active) { return transfer }
            slot.transfer = nil
            hub.keep(transfer, at: now)
        }
        guard let key = slot.call?.key else { throw Unsupported("a transfer", "there is no call") }
        let transfer = try hub.transfer(for: key, active: active)
        transfer.exchange.slot = slot.place
        slot.transfer = transfer
        return transfer
    }

    // MARK: Ending

    /// Whether a call was done.
    private mutating func endDone(at now: TimePoint) -> Bool {
        var isAnyDone = false
        while let (easy, code) = hub.multi.nextDone() {
            guard let place = CurlTransfer.slot(of: easy) else { continue }
            end(slots[Int(place)], .done(code), at: now)
            isAnyDone = true
        }
        return isAnyDone
    }

    private mutating func endCancelled(at now: TimePoint) {
        for slot in slots {
            if let item = slot.item, source.isCancelled(item) { end(slot, .cancelled, at: now) }
        }
    }

    /// All are looked at together, and that no more often than the nearest deadline asks for.
    private mutating func endOverdue(at now: TimePoint) {
        guard let due = nextLook, due <= now else { return }
        nextLook = nil
        for slot in slots {
            guard let deadlines = slot.call?.deadlines else { continue }
            if let ending = CurlTransfer.Ending(deadlines, at: now) { end(slot, ending, at: now) }
            look(at: slot.call?.deadlines.next)
        }
    }

    private mutating func endAll(_ ending: CurlTransfer.Ending) {
        let now = TimePoint.now
        for slot in slots where slot.call != nil { end(slot, ending, at: now) }
    }

    /// An exchange is over; its call may not be.
    private mutating func end(_ slot: Slot, _ ending: CurlTransfer.Ending, at now: TimePoint) {
        guard let transfer = slot.transfer else { return }
        hub.multi.remove(transfer)
        if slot.isDistant {
            slot.isDistant = false
            distant -= 1
        }
        transfer.noteRoute()
        if !transfer.isReused { hub.openedCount += 1 }
        // Not at a time noted before others were told of their results, which may have taken long.
        guard let result = slot.call?.finish(ending, in: transfer, at: now) else { return begin(slot, at: .now) }
        conclude(slot, result)
    }

    @inline(__always)
    private mutating func conclude(_ slot: Slot, _ result: consuming Result<Response, HTTPError>) {
        guard let item = slot.item else { return }
        slot.item = nil
        slot.call = nil
        vacancies.append(slot.place)
        active -= 1
        source.deliver(result, of: item, isLast: active == 0)
    }

    // MARK: Time

    /// In how many transfers bytes have moved since it was asked last. The log is emptied place by place: a loop over it would
    /// hold on to the array, and emptying that at the end costs as much as all the rest.
    private mutating func noteProgress(at now: TimePoint) -> Int {
        var count = 0
        while let place = hub.log.slots.popLast() {
            count += 1
            let slot = slots[Int(place)]
            guard let transfer = slot.transfer else { continue }
            transfer.exchange.hasProgressed = false
            look(at: slot.call?.deadlines.noteProgress(at: now, isConnected: transfer.exchange.isConnected))
            if transfer.exchange.isIntermediate { look(at: slot.call?.deadlines.noteDraining(at: now)) }
            if transfer.exchange.isBehind { behind.append(place) }
        }
        return count
    }

    private mutating func look(at instant: TimePoint?) {
        guard let instant else { return }
        nextLook = nextLook.map { min($0, instant) } ?? instant
    }
}
#endif
