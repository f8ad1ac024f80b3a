extension Interceptor {
    /// Sends a bearer token (RFC 6750 §2.1) with every request, and gets a new one when the server refuses it.
    ///
    ///     let plain = CurlTransport()
    ///     let tokens = BearerTokens { old in plain.execute(Login.refresh(old), as: Grant.self).map(\.token) }
    ///     let client = plain.intercepted(by: .bearer(tokens))
    ///
    /// On a 401 the token is refreshed and the request sent once more; a second 401 is the answer. However many calls
    /// are refused at once, there is one refresh, and all wait for it; a call refused for an older token than the current
    /// one takes that and refreshes nothing. A refresh that fails gives its error to all who waited for it. After too many
    /// refreshes in a short time (`BearerTokens.RefreshWindow`) the 401 is delivered as it came.
    ///
    /// The refresh runs on the thread of one of the calls, and is not ended when that one is cancelled or late: what it
    /// brings is for all. Its own calls have `refreshTimeout`. All others that wait can be cancelled, and keep to their
    /// own time. A refresh that calls through this very client fails with `.unsupported`; it is found out on the thread
    /// that it runs on.
    ///
    /// A request that has an Authorization header already is passed on as it is. So is an answer to a request that has
    /// lost the token on a redirect to another origin. Every host this client is used for gets the token: keep the client
    /// for the service it belongs to.
    public static func bearer(_ tokens: BearerTokens) -> Interceptor {
        Interceptor { request, next in
            guard !request.headers.contains("Authorization") else { return next.executeRequest(request) }
            let call = CallContext(request, clock: tokens.clock)
            return call.run { BearerCall(call: call, tokens: tokens).run(next) }
        }
    }
}

/// One call with a token, and with another if need be.
private struct BearerCall {
    let call: CallContext
    let tokens: BearerTokens

    @available(*, noasync)
    func run(_ next: any HTTPClient) -> Result<Response, HTTPError> {
        switch tokens.supply(after: nil, for: call, attempts: 0) {
        case .failed(let error): return .failure(error)
        case .exhausted(let error): return .failure(error ?? .unsupported(Self.noToken))
        case .token(let entry):
            let outcome = next.executeRequest(Self.draft(call.request, entry))
            guard Self.isRefused(outcome, entry), call.request.body.isReplayable else { return outcome }
            return repeated(outcome, entry, next)
        }
    }

    @available(*, noasync)
    private func repeated(
        _ refusal: Result<Response, HTTPError>, _ refused: TokenLedger.Entry, _ next: any HTTPClient
    ) -> Result<Response, HTTPError> {
        switch tokens.supply(after: refused, for: call, attempts: refusal.attempts) {
        case .failed(let error): .failure(error)
        case .exhausted: refusal
        case .token(let entry):
            call.finished(next.executeRequest(Self.draft(call.request, entry)), after: refusal.attempts)
        }
    }

    private static func draft(_ request: Request, _ entry: TokenLedger.Entry) -> MutableRequest {
        MutableRequest(request) |> .bearer(entry.token)
    }

    /// Whether the server refused this token, and not one that it never got.
    private static func isRefused(_ outcome: Result<Response, HTTPError>, _ entry: TokenLedger.Entry) -> Bool {
        guard let answer = outcome.answer else { return false }
        return answer.status == .unauthorized && answer.request.headers["Authorization"] == "Bearer \(entry.token)"
    }

    private static let noToken = Unsupported(
        "a call with a bearer token", "there is none, and it was asked for too often in a short time")
}
