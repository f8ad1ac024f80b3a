/// A step around an exchange: it sees the request, decides what to ask of `next`, and answers in its place.
///
/// `next` is a plain client, so an interceptor may call it once, several times or never, and is tested over a stub.
public struct Interceptor: Sendable {
    public typealias Intercept = @Sendable (_ request: Request, _ next: any HTTPClient) -> Result<Response, HTTPError>

    /// The same with the clock by which `next` lives.
    typealias InterceptInTime = @Sendable (Request, any HTTPClient, CallClock) -> Result<Response, HTTPError>

    private enum Kind: Sendable {
        case plain(Intercept)
        case timed(InterceptInTime)
    }

    private let kind: Kind

    public init(_ intercept: @escaping Intercept) { kind = .plain(intercept) }

    /// For what waits or measures. With nil for `clock` it goes by that of the client it is put around.
    init(clock: CallClock?, _ intercept: @escaping InterceptInTime) {
        guard let clock else {
            kind = .timed(intercept)
            return
        }
        kind = .timed { request, next, _ in intercept(request, next, clock) }
    }

    @available(*, noasync)
    fileprivate func intercept(
        _ request: Request, _ next: any HTTPClient, _ clock: CallClock
    ) -> Result<Response, HTTPError> {
        switch kind {
        case .plain(let intercept): intercept(request, next)
        case .timed(let intercept): intercept(request, next, clock)
        }
    }
}

/// A client that lives by a clock of its own, and with it what is put around it.
package protocol ClockedClient: HTTPClient {
    var clock: CallClock { get }
}

extension HTTPClient {
    /// The clock by which this client lives: the system's, unless it says otherwise.
    package var callClock: CallClock { (self as? any ClockedClient)?.clock ?? .system }
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

private struct InterceptedClient: ClockedClient {
    private let interceptor: Interceptor
    private let next: any HTTPClient
    let clock: CallClock

    init(interceptor: Interceptor, next: any HTTPClient) {
        self.interceptor = interceptor
        self.next = next
        clock = next.callClock
    }

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        interceptor.intercept(request, next, clock)
    }
}
