/// A step around an exchange: it sees the request, decides what to ask of `next`, and answers in its place.
///
/// `next` is a plain client, so an interceptor may call it once, several times or never, and is tested over a stub.
public struct Interceptor: Sendable {
    public typealias Intercept = @Sendable (_ request: Request, _ next: any HTTPClient) -> Result<Response, HTTPError>

    let intercept: Intercept

    public init(_ intercept: @escaping Intercept) { self.intercept = intercept }
}

extension HTTPClient {
    /// This client with `interceptors` around it. The first listed sees the request first and the response last.
    public func intercepted(by interceptors: Interceptor...) -> any HTTPClient {
        intercepted(by: interceptors)
    }

    /// The same for a list that was put together before.
    public func intercepted(by interceptors: [Interceptor]) -> any HTTPClient {
        interceptors.reversed().reduce(self as any HTTPClient) { InterceptedClient(interceptor: $1, next: $0) }
    }
}

private struct InterceptedClient: HTTPClient {
    let interceptor: Interceptor
    let next: any HTTPClient

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> { interceptor.intercept(request, next) }
}
