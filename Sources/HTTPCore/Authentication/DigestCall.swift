/// One call through a digest interceptor: sends, answers the challenge, and is over after that.
struct DigestCall {
    let authenticator: DigestAuthenticator
    let next: any HTTPClient

    /// Where the call has answered a challenge, by method and URL: nowhere twice, but for the nonce.
    private var answered: Set<String> = []
    /// How often the server may say that only the nonce is too old: it may give each out for one use, and another call
    /// may have had that.
    private var renewalsLeft = 2

    init(_ authenticator: DigestAuthenticator, next: any HTTPClient) {
        self.authenticator = authenticator
        self.next = next
    }

    mutating func run(_ request: Request) -> Result<Response, HTTPError> {
        var request = request
        var use = authenticator.useOfKnownNonce()
        while true {
            do throws(DigestChallenge.Problem) {
                let authorized = if let use { try authenticator.authorized(request, use) } else { request }
                let result = next.executeRequest(authorized)
                guard case .success(let response) = result, let answer = try answer(to: response, after: use) else {
                    return result
                }
                (request, use) = answer
            } catch {
                return .failure(Self.unsupported(error, request))
            }
        }
    }

    /// What to send next; nil when `response` is the call's.
    private mutating func answer(
        to response: Response, after use: DigestAuthenticator.Use?
    ) throws(DigestChallenge.Problem) -> (Request, DigestAuthenticator.Use?)? {
        // After a redirect to elsewhere: not a word about these credentials.
        guard authenticator.isFor(response.url.origin) else { return nil }
        guard response.status == .unauthorized else {
            if let use, let nonce = AuthenticationInfo.nextNonce(response.headers) {
                authenticator.replace(use.challenge.nonce, by: nonce)
            }
            return nil
        }
        if let use { authenticator.forget(use.challenge.nonce) }
        let request = response.request
        guard request.body.canAnswerChallenge,
            let challenge = try DigestChallenge.strongest(of: response.authenticationChallenges),
            mayAnswer(challenge, to: request), let use = authenticator.use(of: challenge)
        else { return nil }
        return (request, use)
    }

    /// Counts the answer if it may be given. The hops of a redirect within the origin are answered each for itself.
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
