/// A step around an exchange: it sees the request, decides what to ask of the next client, and answers in its place.
///
/// There are three forms, and `|>` joins them, the outermost first:
///
/// - a *blocking closure*, the shortest. It has a thread for as long as it runs, the wait for its answer included.
/// - a *closure that suspends* (HTTPAsync), which has none. For what waits, prefer this one.
/// - a *policy* (`CallPolicy`), a value that decides and never waits: the fastest, and what this package's own are.
///
/// To a closure the next client is a plain client: it may ask it once, several times or never, and is tested over a stub.
public struct Interceptor: Sendable {
    /// What an interceptor does: it gets the request and the next client, and its result is the result of the call.
    /// It runs on the thread of each call, on several at once if several call.
    public typealias Intercept = @Sendable (_ request: Request, _ next: any HTTPClient) -> Result<Response, HTTPError>

    /// Puts something around a client.
    package typealias Wrap = @Sendable (any HTTPClient) -> any HTTPClient

    private enum Part: Sendable {
        case closure(Intercept)
        case policy(any CallPolicy)
        case wrapping(Wrap)
    }

    /// Outermost first.
    private let parts: [Part]

    private init(parts: [Part]) { self.parts = parts }

    /// Made of a closure, which runs on the thread of each call; an awaited call has one during it, too.
    public init(_ intercept: @escaping Intercept) { self.init(parts: [.closure(intercept)]) }

    /// Made of a policy, which needs no thread.
    public init(_ policy: some CallPolicy) { self.init(parts: [.policy(policy)]) }

    package init(wrapping wrap: @escaping Wrap) { self.init(parts: [.wrapping(wrap)]) }

    /// Outermost first; nil where one of its parts is no policy.
    package var policies: [any CallPolicy]? {
        let policies = parts.compactMap { if case .policy(let policy) = $0 { policy } else { nil } }
        return policies.count == parts.count ? policies : nil
    }

    fileprivate func around(_ client: any HTTPClient) -> any HTTPClient {
        parts.reversed().reduce(client) { client, part in
            switch part {
            case .closure(let intercept): InterceptedClient(intercept: intercept, next: client)
            case .policy(let policy): PolicyClient(policy, around: client)
            case .wrapping(let wrap): wrap(client)
            }
        }
    }

    /// Both as one: `outer` sees the request first and the response last.
    public static func |> (outer: Interceptor, inner: Interceptor) -> Interceptor {
        Interceptor(parts: outer.parts + inner.parts)
    }
}

/// A client with its own clock, which also applies to its interceptors.
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
        interceptors.reversed().reduce(self as any HTTPClient) { $1.around($0) }
    }
}

private struct InterceptedClient: ClockedClient {
    private let intercept: Interceptor.Intercept
    private let next: any HTTPClient
    let clock: CallClock

    init(intercept: @escaping Interceptor.Intercept, next: any HTTPClient) {
        self.intercept = intercept
        self.next = next
        clock = next.callClock
    }

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> { intercept(request, next) }
}
