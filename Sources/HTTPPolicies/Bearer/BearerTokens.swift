import HTTPSupport

/// The bearer token of a service, and its refresh. `Interceptor.bearer(_:)` describes its use.
///
///     let tokens = BearerTokens(keychain.token)                 // set by the app: `set` at login, nil at logout
///     let tokens = BearerTokens { old in … }                    // refreshed when the server refuses the token
///
/// It may be used by any number of threads and clients.
public final class BearerTokens: Sendable {
    /// Returns a token that replaces `old`, which is nil if there is none yet. All calls that wait for it get its error:
    /// an `HTTPError` unchanged but for `.cancelled`, which like any other error becomes `.interceptor`.
    public typealias Refresh = @Sendable (_ old: String?) throws -> String

    /// The maximum number of refreshes in a time window, so that a server that refuses every token does not cause a
    /// refresh per call.
    public struct RefreshWindow: Sendable, Hashable {
        /// The maximum number of refreshes that begin within `interval`; at least 1.
        public var limit: Int
        /// The length of the window.
        public var interval: Duration

        /// 5 refreshes in 30 seconds.
        public init(limit: Int = 5, interval: Duration = .seconds(30)) {
            self.limit = limit
            self.interval = interval
        }
    }

    /// The refreshes that run on this thread or in this task, or began it. A call that needs the token of one would wait
    /// for itself until that has ended.
    @TaskLocal private static var refreshing: [(tokens: BearerTokens, flight: TokenFlight)] = []

    /// Gets a token that replaces `old`, and reports the result: before it returns, or later, from any thread. After
    /// `RefreshTimeout` it may still report a token.
    package typealias Fetch =
        @Sendable (_ old: String?, _ report: @escaping @Sendable (Result<String, any Error>) -> Void) -> Void

    /// The error of a fetch that is given up at `refreshTimeout`.
    package struct RefreshTimeout: Error {
        package init() {}
    }

    /// The authentication scheme before the token, `Bearer` by default.
    let scheme: String
    /// Nil if it cannot be refreshed.
    private let fetch: Fetch?
    private let refreshTimeout: Duration
    private let ledger: Locked<TokenLedger>

    /// Tokens that `refresh` renews by blocking. HTTPAsync has a suspending form.
    ///
    /// - Parameters:
    ///   - token: The first token. Without one, the first call refreshes.
    ///   - scheme: The authentication scheme in the Authorization field.
    ///   - window: The maximum number of refreshes in a time window.
    ///   - refreshTimeout: The time limit for all calls of one refresh together, 30 s by default. Later calls do not
    ///     wait for a refresh that takes longer anyway: the next one that needs a token starts another.
    ///   - refresh: Gets a new token. It runs on the thread of a call that needs one (for awaited calls, on a
    ///     dispatcher thread), and makes its calls through a client without this interceptor. A `Task` that it begins
    ///     inherits their limit, a `Task.detached` does not. Refreshes do not overlap, unless one takes longer than
    ///     `refreshTimeout`, or a token is set during one, whose result is then outdated. Later calls do not wait for
    ///     such a refresh, and those that do use a newer token as soon as there is one.
    public convenience init(
        _ token: String? = nil, scheme: String = "Bearer", window: RefreshWindow = RefreshWindow(),
        refreshTimeout: Duration = .seconds(30), refresh: @escaping Refresh
    ) {
        self.init(token, scheme: scheme, window: window, refreshTimeout: refreshTimeout) { old, report in
            report(Result { try refresh(old) })
        }
    }

    /// A token that only `set(_:)` changes. Without one, requests are sent unchanged, and a 401 is the response.
    ///
    /// - Parameters:
    ///   - token: The first token.
    ///   - scheme: The authentication scheme in the Authorization field.
    public convenience init(_ token: String? = nil, scheme: String = "Bearer") {
        self.init(token, scheme: scheme, window: RefreshWindow(), refreshTimeout: .zero, fetch: nil)
    }

    package init(_ token: String?, scheme: String, window: RefreshWindow, refreshTimeout: Duration, fetch: Fetch?) {
        self.scheme = scheme
        self.fetch = fetch
        self.refreshTimeout = refreshTimeout
        ledger = Locked(TokenLedger(token, window: window, flightTime: refreshTimeout))
    }

    /// The current token; nil for none.
    public var current: String? { ledger.withLock { $0.current?.token } }

    /// Sets the token, as at login; nil removes it, as at logout. A running refresh does not replace it.
    public func set(_ token: String?) { change { $0.set(token) } }

    /// The current token, unless the next call refreshes it.
    var usable: String? { entry(after: nil)?.token }

    /// The current token, unless it was refused.
    func entry(after refused: TokenLedger.Entry?) -> TokenLedger.Entry? { ledger.withLock { $0.entry(after: refused) } }

    /// The server has refused this token, and the call ends with that: the next one refreshes it.
    func refuse(_ entry: TokenLedger.Entry) {
        if canRefresh { ledger.withLock { $0.refuse(entry) } }
    }

    func credentials(_ token: String) -> String { "\(scheme) \(token)" }

    var canRefresh: Bool { fetch != nil }

    /// The number of calls that wait for a refresh.
    package var waiting: Int { ledger.withLock { $0.waiting } }

    /// The refresh of these tokens that this is part of.
    var enclosingFlight: TokenFlight? { Self.refreshing.last { $0.tokens === self }?.flight }

    /// A token other than `refused`: the current one, or the result of a refresh that all calls wait for. A call that
    /// is part of a refresh gets only the current one.
    func supply(
        after refused: TokenLedger.Entry?, sentAt sending: TimePoint?, withinRefresh: Bool, at now: TimePoint
    ) -> TokenLedger.Step {
        guard fetch != nil else { return entry(after: refused).map { .use($0) } ?? .stop(nil) }
        guard withinRefresh else { return ledger.withLock { $0.step(after: refused, sentAt: sending, at: now) } }
        return entry(after: refused).map { .use($0) } ?? .refuse
    }

    /// Starts the refresh for all waiters, and usually also ends it. The refresh ends neither with the call that runs
    /// it nor at that call's deadline: if the server issues each refresh token only once, the new one would be lost.
    func lead(_ flight: TokenFlight, old: String?, for request: Request, by clock: CallClock) {
        // A task that a refresh began may begin another, and so on.
        let running = Self.refreshing.filter { $0.flight.isRunning }
        Self.$refreshing.withValue(running + [(self, flight)]) {
            CancellationToken.$current.withValue(nil) {
                CallDeadline.$current.withValue(CallDeadline(refreshTimeout)) {
                    fetch?(old) { [self] result in finish(flight, with: result, for: request, at: clock.now()) }
                }
            }
        }
    }

    private func finish(
        _ flight: TokenFlight, with result: Result<String, any Error>, for request: Request, at now: TimePoint
    ) {
        // After its timeout only its token counts.
        if !flight.isRunning, case .failure = result { return }
        let checked = result.mapError { named($0, for: request) }.flatMap { Self.checked($0, for: request) }
        let outcome = change { ledger in
            checked.map { ledger.finish(flight, with: $0) }.mapError { error in
                ledger.fail(flight, with: error, at: now)
                return error
            }
        }
        flight.outcome.set(outcome)
    }

    /// A new token is for all who wait for a refresh, though that may hang. What it drops is released outside the lock:
    /// the last failure has an error of the caller's in it, whose deinitializer may run any code.
    private func change<Value: Sendable>(_ body: (inout TokenLedger) -> Value) -> Value {
        let (value, old, current) = ledger.withLock { ledger in
            let old = ledger
            return (body(&ledger), old, ledger.current)
        }
        if let current, current != old.current { for flight in old.flights { flight.outcome.set(.success(current)) } }
        withExtendedLifetime(old) {}
        return value
    }

    private func named(_ error: any Error, for request: Request) -> HTTPError {
        let record = CallRecord(request, phase: .authorizing)
        guard error is RefreshTimeout else { return InterceptorFailure.named(error, from: .tokenRefresh, record) }
        return .timedOut(
            TimeoutFailure(
                .total, after: refreshTimeout, record: record, blockedBy: TimeoutFailure.tokenRefresh))
    }

    /// A token that is not a valid header value fails the refresh. Otherwise it would stay current forever: no request
    /// could be sent, so no server could refuse it.
    private static func checked(_ token: String, for request: Request) -> Result<String, HTTPError> {
        guard token.isEmpty || !ASCII.isFieldValue(token) else { return .success(token) }
        return .failure(
            .invalidRequest(
                InvalidRequest(
                    MutableRequest(request),
                    "the refresh returned a token that is empty, or has a control character in it or a space at an end"
                )))
    }
}
