/// One call with Digest authentication: it sends the request, answers the challenge, and ends.
struct DigestPolicy: ForeseeablePolicy {
    let authenticator: DigestAuthenticator
    /// Why the credentials cannot be used.
    let flaw: String?

    /// The nonce used by the current request.
    private var use: DigestSession?
    /// The current request, without credentials.
    private var current: Request?
    /// The method and URL of answered challenges: each is answered once, except for a stale nonce.
    private var answered: Set<String> = []
    /// How often the server may still reject only the nonce as stale. A server may allow one use of each nonce, which
    /// another call may have taken.
    private var renewalsLeft = 2

    init(_ authenticator: DigestAuthenticator, flaw: String?) {
        self.authenticator = authenticator
        self.flaw = flaw
    }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started, .resumed: begin(moment.request)
        case .answered(let outcome): isOurs(moment.request) ? take(outcome) : .finish(outcome)
        case .interrupted(let error): .finish(.failure(error))
        }
    }

    private func isOurs(_ request: Request) -> Bool {
        !request.isAnonymous && !request.headers.contains("Authorization")
            && request.origin == authenticator.origin
    }

    var changesRequests: Bool { true }

    /// Each use of a nonce is another.
    func foreseen(_ request: Request) -> Request? { isOurs(request) ? nil : request }

    private mutating func begin(_ request: Request) -> PolicyStep {
        guard isOurs(request) else { return .send(request) }
        if let flaw {
            let draft = MutableRequest(request.method, request.url.string)
            return .finish(.failure(.invalidRequest(InvalidRequest(draft, flaw))))
        }
        use = authenticator.useOfKnownNonce(
            bodyIsInMemory: request.body.isInMemory, isReplayable: request.body.isReplayable)
        return send(request)
    }

    private mutating func send(_ request: Request) -> PolicyStep {
        current = request
        guard let use else { return .send(request) }
        do throws(DigestChallenge.Problem) {
            let authorized = try authenticator.authorized(request, use)
            // These credentials are for this very origin, even if a redirect has led to it.
            return .send(request.hop == nil ? authorized : authorized.asHop(from: request.callOrigin))
        } catch {
            return .finish(.failure(Self.unsupported(error, request)))
        }
    }

    private mutating func take(_ outcome: Result<Response, HTTPError>) -> PolicyStep {
        guard let response = outcome.answer else { return .finish(outcome) }
        do throws(DigestChallenge.Problem) {
            guard let request = try answer(to: response), let current else { return .finish(outcome) }
            // A retry behind this policy may have advanced a download.
            let renewed: Request
            do throws(HTTPError) { renewed = try current.renewed() } catch { return .finish(.failure(error)) }
            guard let again = renewed.refused(by: outcome) else { return .finish(outcome) }
            // The credentials are for the target that the server saw, which a policy behind this one may have changed.
            return send(
                Request(again, method: again.method, url: request.url, headers: again.headers, body: again.body))
        } catch { return .finish(.failure(Self.unsupported(error, response.request))) }
    }

    /// The next request, with `use`; nil if `response` is the result of the call.
    private mutating func answer(to response: Response) throws(DigestChallenge.Problem) -> Request? {
        // It was redirected to another origin, which must not receive these credentials.
        guard response.url.origin == authenticator.origin else { return nil }
        guard response.status == .unauthorized else {
            if let use { authenticator.accept(use.challenge.nonce, next: Self.nextNonce(response.headers)) }
            return nil
        }
        let request = response.request
        // A redirect drops the credentials, and then they have not been refused.
        if let use, request.headers.contains("Authorization") { authenticator.forget(use.challenge.nonce) }
        guard request.body.isReplayable, let challenge = try Self.challenge(of: response),
            mayAnswer(challenge, to: request), let use = authenticator.use(of: challenge)
        else { return nil }
        self.use = use
        return request
    }

    /// Nil if the server offers other schemes only.
    private static func challenge(of response: Response) throws(DigestChallenge.Problem) -> DigestChallenge? {
        let challenge = try DigestChallenge.strongest(
            of: response.authenticationChallenges, bodyIsInMemory: response.request.body.isInMemory)
        if let challenge { return challenge }
        let fields = response.headers.values(for: "WWW-Authenticate")
        guard let unread = AuthenticationChallenge.unreadable(in: fields),
            ASCII.lowercased(unread).contains("digest")
        else { return nil }
        throw DigestChallenge.Problem(
            reason: "the server's challenge cannot be read: \(String(unread.prefix(120)).debugDescription)")
    }

    /// The `nextnonce` of an Authentication-Info field: parameters as in a challenge, without a scheme.
    private static func nextNonce(_ headers: HTTPHeaders) -> String? {
        guard let value = headers.combinedValue(for: "Authentication-Info") else { return nil }
        return AuthenticationChallenge.parse(["Info " + value]).first?["nextnonce"]
    }

    /// Counts the answer if it is allowed. Each redirect within the origin is answered separately.
    private mutating func mayAnswer(_ challenge: DigestChallenge, to request: Request) -> Bool {
        if answered.count <= request.redirects.limit,
            answered.insert("\(request.method) \(request.url.string)").inserted
        {
            return true
        }
        guard challenge.isStale, renewalsLeft > 0 else { return false }
        renewalsLeft -= 1
        return true
    }

    private static func unsupported(_ problem: DigestChallenge.Problem, _ request: Request) -> HTTPError {
        .unsupported(Unsupported("Digest authentication at \(request.url.origin.authority)", problem.reason))
    }
}
