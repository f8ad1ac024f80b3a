/// One call through a digest interceptor: sends, answers the challenge, and is over after that.
struct DigestCall {
    let authenticator: DigestAuthenticator
    let next: any HTTPClient

    /// Where the call has answered a challenge, by method and URL: nowhere twice.
    private var answered: Set<String> = []

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
        guard request.body.canAnswerChallenge, answered.count <= request.redirects.limit,
            let challenge = try DigestChallenge.strongest(of: response.authenticationChallenges),
            answered.insert("\(request.method) \(request.url.string)").inserted,
            let use = authenticator.use(of: challenge)
        else { return nil }
        return (request, use)
    }

    private static func unsupported(_ problem: DigestChallenge.Problem, _ request: Request) -> HTTPError {
        .unsupported(Unsupported("Digest authentication at \(request.url.origin.authority)", problem.reason))
    }
}
