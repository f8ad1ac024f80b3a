/// Decides who makes the calls of a feed: the thread that drives it or, for a moment, the one that hands in a call. A value
/// without threads and locks: each event changes it and returns what is to be done about it.
///
/// `Loop` is what makes calls, and one at a time has it. The driver parks it when it has nothing left to do. Who hands in a
/// call may then be lent it, to begin that call, and puts it back.
struct FeedInbox<Call, Loop> {
    enum Submission {
        /// Whoever has the loop makes the call.
        case taken
        /// The same, but the driver has to be woken.
        case wake
        /// The same, but nobody drives: a thread has to.
        case needsThread
        /// Who hands it in begins it here and puts the loop back, and may look for its answer meanwhile or not.
        case begin(Loop, mayLook: Bool)
    }

    /// What the driver does next when it has nothing to do.
    enum Turn {
        /// It goes on with the loop.
        case go(Loop)
        /// It sleeps until it is woken or its time is over. The time begins anew if somebody else has used the loop.
        case sleep(anew: Bool)
        /// Nobody drives any more.
        case end(Loop)
    }

    private enum Place {
        case driver
        case parked(Loop)
        case lent
        /// Put back with something left to do, such as a call under way. That is the driver's now.
        case busy(Loop)
    }

    private enum Driver { case absent, awake, asleep }

    private var arrivals: [Call] = []
    private var place = Place.driver
    private var driver = Driver.absent
    private var solitude = Solitude()
    /// Whether the loop was lent since the driver last asked.
    private var wasLent = false
    /// Whether nobody can hand in another call.
    private(set) var isClosed = false

    // MARK: Who hands in calls

    /// Takes a call.
    mutating func submit(_ call: Call) -> Submission {
        guard case .parked(let loop) = place, arrivals.isEmpty else {
            solitude.note(isAlone: false)
            return append(call)
        }
        solitude.note(isAlone: true)
        guard solitude.mayBegin else { return append(call) }
        place = .lent
        wasLent = true
        return .begin(loop, mayLook: solitude.mayLook)
    }

    /// Takes back a loop that was lent, in which there is something left to do or not. Whether the driver has to be woken.
    mutating func putBack(_ loop: Loop, isBusy: Bool) -> Bool {
        place = isBusy ? .busy(loop) : .parked(loop)
        guard isBusy || hasCalls || isClosed, driver == .asleep else { return false }
        driver = .awake
        return true
    }

    /// Takes back a loop that was lent, and with it the call that was to begin in it.
    mutating func putBack(_ loop: Loop, unbegun call: Call) -> Submission {
        place = .parked(loop)
        return append(call)
    }

    /// There will be no more calls. Whether the driver has to be woken.
    mutating func close() -> Bool {
        isClosed = true
        guard driver == .asleep else { return false }
        driver = .awake
        return true
    }

    /// There is no thread to drive. Returns what it would have had to do.
    mutating func refuseDriver() -> [Call] {
        driver = .absent
        defer { arrivals = [] }
        return arrivals
    }

    private mutating func append(_ call: Call) -> Submission {
        arrivals.append(call)
        defer { driver = .awake }
        return switch driver {
        case .absent: .needsThread
        case .asleep: .wake
        case .awake: .taken
        }
    }

    // MARK: The driver

    var hasCalls: Bool { !arrivals.isEmpty }

    /// Whether there is something to do for the driver.
    var needsDriver: Bool {
        switch place {
        case .driver, .parked: hasCalls
        case .busy: true
        case .lent: false
        }
    }

    /// Puts the calls there are into `calls`, which is empty.
    mutating func take(into calls: inout [Call]) {
        driver = .awake
        swap(&arrivals, &calls)
    }

    /// The driver wants to sleep with the loop in its hands; false if there is something to do.
    mutating func maySleep() -> Bool {
        guard !hasCalls else { return false }
        driver = .asleep
        return true
    }

    /// The driver has nothing to do.
    mutating func park(_ loop: Loop) { place = .parked(loop) }

    /// What the driver does that has parked the loop. `isOver`: whether it has slept for long enough.
    mutating func next(isOver: Bool) -> Turn {
        let isIdle = isOver && !wasLent
        switch place {
        case .busy(let loop): return take(loop, .awake)
        case .parked(let loop) where hasCalls: return take(loop, .awake)
        case .parked(let loop) where isClosed || isIdle: return take(loop, .absent)
        case .parked, .lent, .driver:
            driver = .asleep
            defer { if isOver { wasLent = false } }
            return .sleep(anew: isOver)
        }
    }

    /// Lends the parked loop to the driver, which puts it back; nil if it is not there or wanted elsewhere.
    mutating func lendToDriver() -> Loop? {
        guard case .parked(let loop) = place, !hasCalls else { return nil }
        place = .lent
        return loop
    }

    private mutating func take(_ loop: Loop, _ state: Driver) -> Turn {
        place = .driver
        driver = state
        return state == .absent ? .end(loop) : .go(loop)
    }
}
