/// Adds routes. Each function returns another stub, without requests. If the stub was made from a closure over
/// `Request`, the closure answers requests that no route answers.
extension StubClient {
    /// Answers requests with this method, to a URL of this pattern, that meet all conditions. See `StubRoute` for
    /// patterns and `StubAnswer` for answers.
    public func on(
        _ method: HTTPMethod, _ pattern: String, _ matchers: RequestMatcher..., answer: StubAnswer
    ) -> StubClient {
        on([StubRoute(method: method, pattern, matchers, answer)])
    }

    /// The same with an answer made for each request.
    ///
    ///     .on(.get, "/users/{id}") { call in .json(["id": call["id"]]) }
    public func on(
        _ method: HTTPMethod, _ pattern: String, _ matchers: RequestMatcher..., answer: @escaping StubAnswer.Maker
    ) -> StubClient {
        on([StubRoute(method: method, pattern, matchers, .made(answer))])
    }

    /// Answers requests with any method.
    public func on(_ pattern: String, _ matchers: RequestMatcher..., answer: StubAnswer) -> StubClient {
        on([StubRoute(method: nil, pattern, matchers, answer)])
    }

    /// The same with an answer made for each request.
    public func on(_ pattern: String, _ matchers: RequestMatcher..., answer: @escaping StubAnswer.Maker) -> StubClient {
        on([StubRoute(method: nil, pattern, matchers, .made(answer))])
    }

    /// Adds routes.
    public func on(_ routes: StubRoute...) -> StubClient { on(routes) }

    /// The same for a list.
    public func on(_ routes: [StubRoute]) -> StubClient { StubClient(script.adding(routes)) }

    /// Passes requests that no route answers to another client, which makes the whole call. `verify()` does not report
    /// them.
    public func passing(to client: any HTTPClient) -> StubClient { StubClient(script.passing(to: client)) }
}
