import HTTPCore

/// Answers at once, keeps nothing, and lives by the system's clock: policies around it wait as in a program.
struct FixedClient: HTTPClient {
    let answer: @Sendable (Request) -> Result<Response, HTTPError>

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> { answer(request) }
}
