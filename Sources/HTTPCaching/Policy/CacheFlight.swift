import HTTPSupport
import Synchronization

/// One exchange that may fill the cache, and the calls that wait for it (RFC 9111 §4: collapsed requests).
final class CacheFlight: Sendable {
    enum Outcome: Sendable {
        /// The stored response. Each waiter checks whether it can use it.
        case stored(CacheEntry)
        /// The server's answer is for its own call only: each waiter asks for itself.
        case notStored
        /// It ended without an answer of the server. What stopped it may be its call's own limit, proxy or pin, and is
        /// nobody else's: the next call tries.
        case abandoned
    }

    let key: CacheFlightKey
    /// When nobody waits for it any longer.
    let end: TimePoint
    /// The mark of its URL in the store at the last look before it was sent; nil if nobody looked.
    var mark: UInt64? { marked.withLock { $0 } }
    let outcome = SharedOutcome<Outcome>()
    private let invalidated = Atomic(false)
    private let marked: Locked<UInt64?>

    init(_ key: CacheFlightKey, at start: TimePoint, _ mark: UInt64?) {
        (self.key, marked) = (key, Locked(mark))
        end = start.advanced(by: CacheFlights.waitLimit)
    }

    /// Whether the responses stored under its URL were removed since it began. Its response may be older than that.
    var isInvalidated: Bool { invalidated.load(ordering: .acquiring) }

    func invalidate() { invalidated.store(true, ordering: .releasing) }

    func note(_ mark: UInt64) { marked.withLock { $0 = mark } }
}

/// Identifies the requests that may share one exchange: same URL, credentials, cookies and trust, and equal values of
/// the fields by which servers select.
struct CacheFlightKey: Sendable, Hashable {
    let key: CacheKey
    private let fields: [String]

    /// The fields by which servers usually select, for a URL whose Vary is not yet known.
    private static let usual =
        ["accept", "accept-encoding", "accept-language", "cookie", "origin"] + CacheVariant.selectors

    init(_ request: CacheRequest, _ stored: [CacheEntry]) {
        key = request.key
        guard !request.sent.headers.isEmpty || request.sent.cookies != nil else {
            fields = request.trust.map { [CacheVariant.trust, $0.digest] } ?? []
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
        var running: [CacheKey: [ObjectIdentifier: CacheFlight]] = [:]
        /// Those of them that calls may wait for.
        var open: [CacheFlightKey: CacheFlight] = [:]
        /// Those whose stale response was used, and that the next call must validate.
        var due: Set<CacheFlightKey> = []
        /// Those that a background call validates.
        var validating: Set<CacheFlightKey> = []
    }

    /// How long calls wait for an exchange after its start. It may hang, and without a cache they would not wait for it
    /// at all.
    static let waitLimit = TimeSpan.seconds(2)
    private static let mostDue = 1024
    private let state = Locked(State())
    private let ended = Atomic(0)

    /// The number of exchanges that have ended. While it does not change, none has stored anything.
    var endedCount: Int { ended.load(ordering: .acquiring) }

    enum Part: Sendable {
        /// The call asks the server.
        case lead(CacheLead)
        case follow(CacheFlight)
    }

    var count: Int { state.withLock { $0.running.values.reduce(0) { $0 + $1.count } } }
    /// The number of calls that wait for an exchange.
    var waitingCount: Int {
        state.withLock { $0.running.values.joined().reduce(0) { $0 + $1.value.outcome.signal.waitCount } }
    }

    /// The exchange to wait for, or else the duty to make one that others may wait for.
    func join(_ key: CacheFlightKey, at now: TimePoint, _ mark: UInt64? = nil) -> Part {
        state.withLock { state in
            // The response of an invalidated one may be older than what invalidated it, of which this call may know.
            if let flight = state.open[key], now < flight.end, !flight.isInvalidated, flight.mark == mark {
                return .follow(flight)
            }
            let flight = CacheFlight(key, at: now, mark)
            state.open[key] = flight
            state.running[key.key, default: [:]][ObjectIdentifier(flight)] = flight
            state.due.remove(key)
            return .lead(CacheLead(flight, self))
        }
    }

    /// An exchange that no other call waits for.
    func begin(_ key: CacheFlightKey, at now: TimePoint, _ mark: UInt64?) -> CacheLead {
        let flight = CacheFlight(key, at: now, mark)
        state.withLock { $0.running[key.key, default: [:]][ObjectIdentifier(flight)] = flight }
        return CacheLead(flight, self)
    }

    /// From now on, no call can join it.
    fileprivate func close(_ flight: CacheFlight) {
        state.withLock { if $0.open[flight.key] === flight { $0.open[flight.key] = nil } }
    }

    fileprivate func remove(_ flight: CacheFlight) {
        state.withLock { state in
            // Before another call can lead the next exchange for the key.
            ended.add(1, ordering: .releasing)
            if state.open[flight.key] === flight { state.open[flight.key] = nil }
            guard let place = state.running.index(forKey: flight.key.key) else { return }
            state.running.values[place][ObjectIdentifier(flight)] = nil
            if state.running.values[place].isEmpty { state.running.remove(at: place) }
        }
    }

    /// Keeps the running exchanges for the URL, or for all without one, from being stored, except for `own`.
    func invalidate(_ key: CacheKey?, except own: CacheFlight? = nil) {
        let flights = state.withLock { state in
            (key.map { [$0] } ?? Array(state.running.keys)).flatMap { state.running[$0, default: [:]].values }
        }
        for flight in flights where flight !== own { flight.invalidate() }
    }

    /// Who validates a stale response while it is used (RFC 5861 §3).
    enum Revalidation: Sendable {
        /// Another call, now or later.
        case others
        /// A background call.
        case background(CacheDuty)
        /// This call, before it returns.
        case here
    }

    func revalidation(of key: CacheFlightKey, canSendInBackground: Bool) -> Revalidation {
        state.withLock { state in
            if state.open[key] != nil || state.validating.contains(key) { return .others }
            let isDue = state.due.remove(key) != nil
            if canSendInBackground {
                state.validating.insert(key)
                return .background(CacheDuty(key, self))
            }
            if isDue { return .here }
            if state.due.count >= Self.mostDue { state.due = [] }
            state.due.insert(key)
            return .others
        }
    }

    fileprivate func settle(_ key: CacheFlightKey) { state.withLock { _ = $0.validating.remove(key) } }
}

/// The duty to end a flight. The flight is abandoned if this is released first.
final class CacheLead: Sendable {
    let flight: CacheFlight
    private let flights: CacheFlights

    fileprivate init(_ flight: CacheFlight, _ flights: CacheFlights) { (self.flight, self.flights) = (flight, flights) }

    deinit { end(.abandoned) }

    /// Lets all waiters go, and no more come. The exchange goes on.
    func release() {
        flights.close(flight)
        flight.outcome.set(.notStored)
    }

    /// Notifies all waiters. Calls can still join until `end`, while the response is being stored.
    func share(_ entry: CacheEntry) { flight.outcome.set(.stored(entry)) }

    /// Notifies all waiters, unless they know already.
    func end(_ outcome: CacheFlight.Outcome) {
        flights.remove(flight)
        flight.outcome.set(outcome)
    }
}

/// The duty of a background call to validate a stale response. Once it is released, another call may have it.
final class CacheDuty: Sendable {
    private let key: CacheFlightKey
    private let flights: CacheFlights

    fileprivate init(_ key: CacheFlightKey, _ flights: CacheFlights) { (self.key, self.flights) = (key, flights) }

    deinit { flights.settle(key) }
}
