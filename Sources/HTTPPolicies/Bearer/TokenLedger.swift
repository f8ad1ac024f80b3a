import HTTPSupport

/// One refresh, and its outcome.
final class TokenFlight: Sendable {
    /// The token generation that was current when it began.
    let generation: Int
    let outcome = SharedOutcome<Result<TokenLedger.Entry, HTTPError>>()

    init(generation: Int) { self.generation = generation }

    var isRunning: Bool { outcome.value == nil }
}

/// The current token, and the decisions of `BearerTokens` about refreshing it.
struct TokenLedger {
    /// A token and the number of changes before it. A server that refuses an old token says nothing about the new one.
    struct Entry: Sendable, Hashable {
        let token: String
        let generation: Int
    }

    private(set) var current: Entry?
    private var generation = 0
    /// The generation of a token that the server refused to a call that could not be sent again.
    private var refusedGeneration: Int?
    /// Those under way, which calls wait for; the last one is that of later calls until `flightEnd`.
    private(set) var flights: [TokenFlight] = []
    private var refreshes: [TimePoint] = []
    /// Of the current generation.
    private var lastFailure: (error: HTTPError, time: TimePoint)?
    private let window: BearerTokens.RefreshWindow
    /// How long a failed refresh stands for calls that were sent before it failed.
    private static var failureTime: Duration { .seconds(5) }
    /// How long a refresh may take before the next call starts another. A refresh may hang without a deadline.
    private let flightTime: Duration
    private var flightEnd: TimePoint?

    init(_ token: String?, window: BearerTokens.RefreshWindow, flightTime: Duration = .seconds(30)) {
        current = token.map { Entry(token: $0, generation: 0) }
        self.window = window
        self.flightTime = flightTime
    }

    var waiting: Int { flights.reduce(0) { $0 + $1.outcome.signal.waitCount } }

    enum Step {
        case use(Entry)
        /// Refresh `old`, and report the result to the waiters of this flight.
        case lead(TokenFlight, old: String?)
        /// A refresh is already running.
        case follow(TokenFlight)
        /// The call was sent before the last refresh failed, which was for it, too.
        case fail(HTTPError)
        /// There were too many refreshes in a short time. The error is that of the last one, if it failed.
        case stop(HTTPError?)
        /// The call is part of the refresh that it would wait for.
        case refuse
    }

    /// The current token, unless it was refused.
    func entry(after refused: Entry?) -> Entry? {
        current.flatMap { $0.generation == refused?.generation || $0.generation == refusedGeneration ? nil : $0 }
    }

    /// Calls get this token no more, unless there were too many refreshes.
    mutating func refuse(_ entry: Entry) {
        if entry.generation == current?.generation { refusedGeneration = entry.generation }
    }

    /// The next step of a call that needs a token other than `refused`, with which it was sent at `sending`.
    mutating func step(after refused: Entry?, sentAt sending: TimePoint?, at now: TimePoint) -> Step {
        if let entry = entry(after: refused) { return .use(entry) }
        if let flight = flights.last, let flightEnd, now < flightEnd { return .follow(flight) }
        if let sending, let lastFailure, sending < lastFailure.time, now < lastFailure.time + Self.failureTime {
            return .fail(lastFailure.error)
        }
        let start = now - window.interval
        refreshes.removeAll { $0 <= start }
        guard refreshes.count < max(1, window.limit) else {
            // The server is to say again that it refuses this one.
            if refused == nil, let current { return .use(current) }
            return .stop(lastFailure?.error)
        }
        refreshes.append(now)
        let flight = TokenFlight(generation: generation)
        flights.append(flight)
        flightEnd = now + flightTime
        return .lead(flight, old: current?.token)
    }

    /// Stores the result of `flight`, unless a newer token was set meanwhile.
    mutating func finish(_ flight: TokenFlight, with token: String) -> Entry {
        let isNewest = flight.generation == generation
        end(flight)
        if isNewest { change(to: token) }
        return Entry(token: token, generation: isNewest ? generation : flight.generation)
    }

    /// Records that `flight` failed. The next call that needs a token starts another refresh, unless it was sent before: a
    /// thread that refreshes for its own calls learns only then that others of them were refused, too.
    mutating func fail(_ flight: TokenFlight, with error: HTTPError, at now: TimePoint) {
        end(flight)
        if flight.generation == generation { lastFailure = (error, now) }
    }

    private mutating func end(_ flight: TokenFlight) {
        if flights.last === flight { flightEnd = nil }
        flights.removeAll { $0 === flight }
    }

    /// Sets or removes the token. A running refresh belongs to the old one.
    mutating func set(_ token: String?) {
        flightEnd = nil
        refreshes = []
        change(to: token)
    }

    /// With a new token nobody waits for a refresh any more; without one, those who wait still do.
    private mutating func change(to token: String?) {
        generation += 1
        lastFailure = nil
        if token != nil { (flights, flightEnd) = ([], nil) }
        current = token.map { Entry(token: $0, generation: generation) }
    }
}
