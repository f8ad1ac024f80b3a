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
        /// The call that led it ended for a reason of its own: the next one tries.
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

    /// Whether the responses stored under its URL were removed since it began. Its response may be older than that.
    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    func invalidate() { state.withLock { $0.isInvalidated = true } }

    /// The number of waiters.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Wakes `waker` when the exchange is over; at once if it already is.
    func join(_ waker: PolicyWaker) -> Place {
        let (id, isOver) = state.withLock { state in
            let isOver = state.outcome != nil
            return (state.waiting.add(waker, isOver: isOver), isOver)
        }
        if isOver { waker.wake() }
        return Place(flight: self, id: id)
    }

    /// Wakes all waiters, on the first call only.
    func land(_ outcome: Outcome) {
        let waiting = state.withLock { state -> [PolicyWaker] in
            guard state.outcome == nil else { return [] }
            state.outcome = outcome
            return state.waiting.takeAll()
        }
        for waker in waiting { waker.wake() }
    }
}

/// Identifies the requests that may share one exchange: same URL, credentials and cookies, and equal values of the
/// fields by which servers select.
struct CacheFlightKey: Sendable, Hashable {
    let key: CacheKey
    private let fields: [String]

    /// The fields by which servers usually select, for a URL whose Vary is not yet known.
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
        /// Those whose stale response was used, and that the next call must validate.
        var due: Set<CacheFlightKey> = []
    }

    private static let mostDue = 1024
    private let state = Locked(State())
    private let ended = Atomic(0)

    /// The number of exchanges that have ended. While it does not change, none has stored anything.
    var endedCount: Int { ended.load(ordering: .acquiring) }

    enum Part: Sendable {
        /// The call must land it.
        case lead(CacheFlight)
        case follow(CacheFlight)
    }

    /// The number of running exchanges.
    var count: Int { state.withLock { $0.flights.count } }
    /// The number of calls that wait for an exchange.
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

    /// From now on, no call can join it.
    func remove(_ flight: CacheFlight) {
        state.withLock { state in
            // Before another call can lead the next exchange for the key.
            ended.add(1, ordering: .releasing)
            if state.flights[flight.key] === flight { state.flights[flight.key] = nil }
        }
    }

    /// Keeps the running exchanges for the URL from being stored.
    func invalidate(_ key: CacheKey) {
        let flights = state.withLock { $0.flights.values.filter { $0.key.key == key } }
        for flight in flights { flight.invalidate() }
    }

    func invalidateAll() {
        let flights = state.withLock { Array($0.flights.values) }
        for flight in flights { flight.invalidate() }
    }

    /// Who validates a stale response while it is used (RFC 5861 §3).
    enum Revalidation: Sendable {
        /// Another call, now or later.
        case others
        /// A background call.
        case background
        /// This call, before it returns.
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
