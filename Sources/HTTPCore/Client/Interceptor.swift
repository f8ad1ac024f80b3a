/// A layer around an exchange. It sees the request, decides what to send to the next client, and returns the result.
///
/// There are three forms, and `|>` joins them, the outermost first:
///
/// - A *blocking closure* is the shortest form. It occupies a thread while it runs, including the wait for its
///   response.
/// - A *suspending closure* (HTTPAsync) occupies no thread while it waits. Prefer it for anything that waits.
/// - A *policy* (`CallPolicy`) is a value that decides and never waits. It is the fastest form, and that of this
///   package's own interceptors.
///
/// A closure sees the next client as a plain client. It may call it once, several times or never, and can be tested
/// with a stub.
public struct Interceptor: Sendable {
    /// The function of an interceptor: it receives the request and the next client, and its result is that of the call.
    /// It runs on the thread of each call, so it may run on several threads at once.
    public typealias Intercept = @Sendable (_ request: Request, _ next: any HTTPClient) -> Result<Response, HTTPError>

    package typealias Wrap = @Sendable (any HTTPClient) -> any HTTPClient

    private enum Part: Sendable {
        case closure(Intercept)
        case policy(any CallPolicy)
        case wrapping(Wrap)
    }

    /// Outermost first.
    private let parts: [Part]

    private init(parts: [Part]) { self.parts = parts }

    /// An interceptor from a closure, which runs on the thread of each call. An awaited call occupies a thread during
    /// it, too.
    public init(_ intercept: @escaping Intercept) { self.init(parts: [.closure(intercept)]) }

    /// An interceptor from a policy, which needs no thread.
    public init(_ policy: some CallPolicy) { self.init(parts: [.policy(policy)]) }

    /// All of `interceptors` as one. The first sees the request first and the response last; none changes nothing.
    public init(_ interceptors: [Interceptor]) { self.init(parts: interceptors.flatMap(\.parts)) }

    package init(wrapping wrap: @escaping Wrap) { self.init(parts: [.wrapping(wrap)]) }

    fileprivate func around(_ client: any HTTPClient) -> any HTTPClient {
        // A detached call is one as a whole.
        if let detached = client as? DetachedClient { return around(detached.next).detached }
        return parts.reversed().reduce(client) { client, part in
            switch part {
            case .closure(let intercept): InterceptedClient(intercept: intercept, next: client)
            case .policy(let policy): PolicyClient(policy, around: client)
            case .wrapping(let wrap): wrap(client)
            }
        }
    }

    /// Both as one interceptor: `outer` sees the request first and the response last.
    public static func |> (outer: Interceptor, inner: Interceptor) -> Interceptor {
        Interceptor(parts: outer.parts + inner.parts)
    }
}

/// A client that knows what matters to the clients around it.
package protocol ClockedClient: HTTPClient {
    /// Its clock, which also applies to its interceptors.
    var clock: CallClock { get }
    /// Whether it answers by itself, so that its calls need no limit: a stub, a replay.
    var answersItself: Bool { get }
}

extension ClockedClient {
    package var answersItself: Bool { false }
}

extension HTTPClient {
    /// The clock of this client: the system's, unless it has its own.
    package var callClock: CallClock { (self as? any ClockedClient)?.clock ?? .system }

    /// Whether its calls use neither a network nor another process.
    package var isOffline: Bool { (self as? any ClockedClient)?.answersItself ?? false }

    /// This client with `interceptors` around it. The first listed sees the request first and the response last.
    public func intercepted(by interceptors: Interceptor...) -> any HTTPClient { intercepted(by: interceptors) }

    /// The same with a list.
    public func intercepted(by interceptors: [Interceptor]) -> any HTTPClient { Interceptor(interceptors).around(self) }
}

private struct InterceptedClient: ClockedClient, WrappingClient {
    private let intercept: Interceptor.Intercept
    private let next: any HTTPClient
    let clock: CallClock
    let answersItself: Bool
    var wrapped: any HTTPClient { next }
    var mayChangeRequests: Bool { true }

    init(intercept: @escaping Interceptor.Intercept, next: any HTTPClient) {
        self.intercept = intercept
        self.next = next
        clock = next.callClock
        answersItself = next.isOffline
    }

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        // All that the closure sends has the time of this call together.
        let deadline = clock.deadline(of: request.timeouts, from: clock.now())
        return deadline.run { intercept(request, next) }.delivered(to: request)
    }
}
