import HTTPSupport

extension Interceptor {
    /// Sends a bearer token (RFC 6750 §2.1) with every request, and refreshes it when the server refuses it.
    ///
    ///     let plain = CurlTransport()
    ///     let tokens = BearerTokens { old in try plain.execute(Login.refresh(old), as: Grant.self).token }
    ///     let client = plain.intercepted(by: .bearer(tokens))
    ///
    /// On a 401 the token is refreshed and the request sent once more; a second 401 is the result. After a redirect
    /// that is the request of the last hop: what came before it has had its effect. There is only one refresh for all
    /// calls refused at once, and all wait for it. A call refused for an older token uses the current one without a
    /// refresh. A failed refresh fails all waiting calls with its error, and those that were sent before and are refused
    /// in the next 5 s. After too many refreshes in a short time
    /// (`BearerTokens.RefreshWindow`) the 401 is the result: its `Metrics.isRefreshRefused`, the log's line and the text of its
    /// error say so.
    ///
    /// A body that can be sent only once is not sent again: the 401 is the result, and the next call refreshes the token.
    ///
    /// The refresh runs on the thread of one of the calls, or for awaited calls on a dispatcher thread. It serves all
    /// calls, so it continues if the call that started it is cancelled or times out. Its own calls have the limit
    /// `refreshTimeout`. Waiting calls can be cancelled, and keep their own timeouts. A refresh that calls through this
    /// client fails with a `PolicyFault`, unless its calls run on threads of its own.
    ///
    /// A request with an Authorization header, or an `.anonymous` one, is not changed. A redirect to
    /// another origin gets no token, whoever follows it, and its response is returned as it is. The token is sent to every host that this client
    /// is used for: use the client only for the service of the token.
    public static func bearer(_ tokens: BearerTokens) -> Interceptor { Interceptor(BearerPolicy(tokens: tokens)) }
}

/// One call with a token, and with a second token if the first is refused.
private struct BearerPolicy: PreparedPolicy, ForeseeablePolicy {
    let tokens: BearerTokens
    /// The refresh that the call is part of.
    var enclosingFlight: TokenFlight?
    /// The token that was last sent, and when.
    var sent: (entry: TokenLedger.Entry, time: TimePoint)?
    /// The response that refused the token.
    var refusal: Result<Response, HTTPError>?
    /// The refresh that it does or waits for.
    var flight: TokenFlight?

    mutating func prepare() { enclosingFlight = tokens.enclosingFlight }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started:
            return mayAuthorize(moment.request) ? authorize(moment) : .pass
        case .answered(let outcome):
            if let refusal {
                let hops = moment.request.hops(passedBy: refusal)
                return .finish(outcome.map { $0.answering($0.request, behind: hops) }.mapError { $0.behind(hops) })
            }
            guard isRefused(outcome) else { return .finish(outcome) }
            guard let again = moment.request.refused(by: outcome), again.body.isReplayable else {
                if let sent { tokens.refuse(sent.entry) }
                return .finish(outcome)
            }
            refusal = outcome
            return authorize(moment)
        case .resumed:
            return flight.map { follow($0, moment) } ?? .pass
        case .interrupted(let error): return .finish(.failure(error))
        }
    }

    var changesRequests: Bool { true }

    /// A token that is still to be fetched cannot be foreseen.
    func foreseen(_ request: Request) -> Request? {
        guard mayAuthorize(request) else { return request }
        guard let token = tokens.usable else { return tokens.canRefresh ? nil : request }
        return try? Request(authorized(request, token))
    }

    private func authorized(_ request: Request, _ token: String) -> MutableRequest {
        request |> .authorization(tokens.scheme, token)
    }

    private func mayAuthorize(_ request: Request) -> Bool {
        !request.isAnonymous && !request.headers.contains("Authorization") && request.admits("Authorization")
    }

    private mutating func authorize(_ moment: PolicyMoment) -> PolicyStep {
        if moment.isCancelled { return .finish(.failure(moment.cancelled(.authorizing))) }
        switch tokens.supply(
            after: sent?.entry, sentAt: sent?.time, withinRefresh: enclosingFlight?.isRunning == true, at: moment.time)
        {
        case .use(let entry): return send(entry, moment)
        case .fail(let error): return .finish(.failure(error))
        case .stop where !tokens.canRefresh: return refusal.map { .finish($0) } ?? .pass
        case .stop(let failure):
            let refused = refusal?.changingMetrics { $0.isRefreshRefused = true }
            return .finish(refused ?? .failure(failure ?? .unsupported(Self.noToken)))
        case .refuse: return .finish(.failure(moment.failed(.waitsForItself, of: "\(Self.self)", .authorizing)))
        case .lead(let flight, let old):
            self.flight = flight
            let (request, clock) = (moment.request, moment.call.clock)
            return .run(because: .authorizing, reason: reason) { [tokens] in
                tokens.lead(flight, old: old, for: request, by: clock)
            }
        case .follow(let flight):
            self.flight = flight
            return follow(flight, moment)
        }
    }

    private mutating func follow(_ flight: TokenFlight, _ moment: PolicyMoment) -> PolicyStep {
        switch flight.outcome.value {
        case .success(let entry): send(entry, moment)
        // Another may have been set meanwhile.
        case .failure(let error): tokens.entry(after: sent?.entry).map { send($0, moment) } ?? .finish(.failure(error))
        case nil: .wait(for: flight.outcome.signal, because: .authorizing, reason: reason)
        }
    }

    private var reason: String {
        refusal == nil && tokens.current == nil ? "there was none" : "the server refused the last one"
    }

    private mutating func send(_ entry: TokenLedger.Entry, _ moment: PolicyMoment) -> PolicyStep {
        sent = (entry, moment.time)
        guard let refusal else { return .send(authorized(moment.request, entry.token)) }
        do {
            // A retry behind this policy may have had a part of a download.
            guard let again = try moment.request.renewed().refused(by: refusal) else { return .finish(refusal) }
            return .send(authorized(again, entry.token))
        } catch { return .finish(.failure(error)) }
    }

    /// Whether the server refused this token. It did not if the token was never sent to it.
    private func isRefused(_ outcome: Result<Response, HTTPError>) -> Bool {
        guard let sent, let answer = outcome.answer else { return false }
        return answer.status == .unauthorized
            && answer.request.headers["Authorization"] == tokens.credentials(sent.entry.token)
    }

    private static let noToken = Unsupported(
        "a bearer token",
        "no refresh has brought one, and BearerTokens.RefreshWindow allows no more of them for the moment")
}
