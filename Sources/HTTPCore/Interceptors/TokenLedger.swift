/// Which token is the current one, and whether a new one may be fetched: the decisions of `BearerTokens`.
struct TokenLedger {
    /// A token and how many changes came before it: a server that refuses an old one says nothing about the new one.
    struct Entry: Sendable, Hashable {
        let token: String
        let generation: Int
    }

    private(set) var current: Entry?
    private var generation = 0
    private var flight: TokenFlight?
    private var refreshes: [TimePoint] = []
    private var lastFailure: HTTPError?
    private let window: BearerTokens.RefreshWindow
    /// How long a refresh may take before the next call begins another: it may hang, and know of no deadline.
    private let flightTime: Duration
    private var flightEnd: TimePoint?

    init(_ token: String?, window: BearerTokens.RefreshWindow, flightTime: Duration = .seconds(30)) {
        current = token.map { Entry(token: $0, generation: 0) }
        self.window = window
        self.flightTime = flightTime
    }

    var waiting: Int { flight?.waiting ?? 0 }

    enum Step {
        case use(Entry)
        /// Refresh `old`, and report to the waiters of this flight.
        case lead(TokenFlight, old: String?)
        /// A refresh is already running.
        case follow(TokenFlight)
        /// There were too many refreshes in too short a time; and how the last one ended, if it failed.
        case stop(HTTPError?)
        /// The call is part of the refresh that it would wait for.
        case refuse(HTTPError)
    }

    /// The current token, unless it is the one that was refused.
    func entry(after refused: Entry?) -> Entry? {
        current.flatMap { $0.generation == refused?.generation ? nil : $0 }
    }

    /// For a call that needs a token other than `refused`.
    mutating func step(after refused: Entry?, at now: TimePoint) -> Step {
        if let entry = entry(after: refused) { return .use(entry) }
        if let flight, let flightEnd, now < flightEnd { return .follow(flight) }
        let start = now - window.interval
        refreshes.removeAll { $0 <= start }
        guard refreshes.count < window.limit else { return .stop(lastFailure) }
        refreshes.append(now)
        let flight = TokenFlight(generation: generation)
        self.flight = flight
        flightEnd = now + flightTime
        return .lead(flight, old: current?.token)
    }

    /// Takes what `flight` brought, unless a token was set in the meantime: that is newer.
    mutating func land(_ flight: TokenFlight, with token: String) -> Entry {
        let isNewest = flight.generation == generation
        end(flight)
        if isNewest { change(to: token) }
        return Entry(token: token, generation: isNewest ? generation : flight.generation)
    }

    /// Takes note that `flight` failed: the next call that needs a token begins another.
    mutating func fail(_ flight: TokenFlight, with error: HTTPError) {
        end(flight)
        if flight.generation == generation { lastFailure = error }
    }

    private mutating func end(_ flight: TokenFlight) {
        if self.flight === flight { self.flight = nil }
    }

    /// Sets or removes the token from outside. A running refresh belongs to the old one.
    mutating func set(_ token: String?) {
        flight = nil
        refreshes = []
        change(to: token)
    }

    private mutating func change(to token: String?) {
        generation += 1
        lastFailure = nil
        current = token.map { Entry(token: $0, generation: generation) }
    }
}
