import Synchronization

/// One exchange that fills the cache, and its waiters (RFC 9111 §4: collapsed requests).
final class CacheFlight: Sendable {
    enum Outcome: Sendable {
        /// The stored response. Each waiter checks whether it can use it.
        case stored(CacheEntry)
        /// The response is for its own call only.
        case notStored
        /// The server did not answer; the waiters share the failure.
        case failed(HTTPError)
        /// It ended for a reason of its own call: the next one tries.
        case abandoned
    }

    private struct State {
        var outcome: Outcome?
        var isInvalidated = false
        var waiting = PolicyWaiters()
    }

    let key: CacheFlightKey
    private let state = Locked(State())

    init(_ key: CacheFlightKey) { self.key = key }

    /// A waiter.
    struct Place: Sendable {
        let flight: CacheFlight
        fileprivate let id: UInt64

        func leave() { flight.state.withLock { $0.waiting.remove(id) } }
    }

    /// Its result; nil while it runs.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Whether what is stored under its URL was thrown away since it began: what it brings may be older than that.
    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    func invalidate() { state.withLock { $0.isInvalidated = true } }

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Has `waker` wake when it is over: at once if it is.
    func join(_ waker: PolicyWaker) -> Place {
        let (id, isOver) = state.withLock { state in
            let isOver = state.outcome != nil
            return (state.waiting.add(waker, isOver: isOver), isOver)
        }
        if isOver { waker.wake() }
        return Place(flight: self, id: id)
    }

    /// Wakes all waiters, the first time.
    func land(_ outcome: Outcome) {
        let waiting = state.withLock { state -> [PolicyWaker] in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            return state.waiting.takeAll()
        }
        for waker in waiting { waker.wake() }
    }
}

/// Which requests may wait for one exchange: those for one URL whose fields are alike that servers choose by, and with the
/// same credentials and cookies.
struct CacheFlightKey: Sendable, Hashable {
    let key: CacheKey
    private let fields: [String]

    /// By these servers choose that have said nothing yet.
    private static let usual = ["accept", "accept-encoding", "accept-language", "cookie", "origin"]

    init(_ request: CacheRequest, _ stored: [CacheEntry]) {
        key = request.key
        guard !request.request.headers.isEmpty || request.request.cookies != nil else {
            fields = []
            return
        }
        let named = Set(stored.flatMap { $0.response.variant.fields.map(\.name) }).subtracting(Self.usual).sorted()
        var fields: [String] = []
        for name in Self.usual + named {
            guard let value = CacheVariant.value(of: name, in: request) else { continue }
            fields += [name, value]
        }
        if let authorization = request.authorization { fields += ["authorization", authorization] }
        self.fields = fields
    }
}

/// The running exchanges of one cache. Its lock is held briefly, and never for a hit.
final class CacheFlights: Sendable {
    private struct State {
        var flights: [CacheFlightKey: CacheFlight] = [:]
        /// Those that a call was answered for with what is to be validated by the next one.
        var due: Set<CacheFlightKey> = []
    }

    private static let mostDue = 1024
    private let state = Locked(State())
    private let ended = Atomic(0)

    /// The number of exchanges that have ended. As long as it stays the same, none has stored anything.
    var endedCount: Int { ended.load(ordering: .acquiring) }

    enum Part: Sendable {
        /// To be landed.
        case lead(CacheFlight)
        case follow(CacheFlight)
    }

    /// The number of running exchanges.
    var count: Int { state.withLock { $0.flights.count } }
    /// How many calls wait for one.
    var waitingCount: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waitingCount } } }

    func join(_ key: CacheFlightKey) -> Part {
        state.withLock { state in
            if let flight = state.flights[key] { return .follow(flight) }
            let flight = CacheFlight(key)
            state.flights[key] = flight
            state.due.remove(key)
            return .lead(flight)
        }
    }

    /// No call can join it any more.
    func remove(_ flight: CacheFlight) {
        state.withLock { state in
            // Before another call can lead the next exchange for the key.
            ended.add(1, ordering: .releasing)
            if state.flights[flight.key] === flight { state.flights[flight.key] = nil }
        }
    }

    /// The running exchanges for the URL must not be stored.
    func invalidate(_ key: CacheKey) {
        let flights = state.withLock { $0.flights.values.filter { $0.key.key == key } }
        for flight in flights { flight.invalidate() }
    }

    func invalidateAll() {
        let flights = state.withLock { Array($0.flights.values) }
        for flight in flights { flight.invalidate() }
    }

    /// What validates a stale response while it is used (RFC 5861 §3).
    enum Revalidation: Sendable {
        /// Another call validates, now or later.
        case others
        /// A call in the background.
        case background
        /// This call, before it is answered.
        case here
    }

    func revalidation(of key: CacheFlightKey, canSendInBackground: Bool) -> Revalidation {
        state.withLock { state in
            if state.flights[key] != nil { return .others }
            if canSendInBackground { return state.due.insert(key).inserted ? .background : .others }
            if state.due.remove(key) != nil { return .here }
            if state.due.count >= Self.mostDue { state.due = [] }
            state.due.insert(key)
            return .others
        }
    }
}
