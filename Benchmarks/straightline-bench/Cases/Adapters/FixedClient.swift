import Straightline

/// Answers at once, records nothing and uses the system's clock, so that policies around it wait as in a program.
struct FixedClient: HTTPClient {
    let answer: @Sendable (Request) -> Result<Response, HTTPError>

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> { answer(request) }
}
