@_exported public import HTTPCore

/// An `HTTPClient` that answers from a script: for tests of code that makes calls, without a server.
///
///     let stub = StubClient(strict: true, base: "https://api.example.com/v1")
///         .on(.post, "/login", .json(["user": "ada"]), answer: .json(session))
///         .on(.get, "/notes/{id}") { call in .json(Note(id: call["id"])) }
///         .on(.get, "/jobs/7", answer: .status(202).times(2).then(.json(job)))
///         .on(.get, "/news", answer: .failure(.connectionRefused))
///     …                                    // the code under test calls `stub`
///     #expect(stub.requests.count == 5)
///     try stub.verify()
///
/// The first route listed that takes a request answers it. It does so as a transport does: redirects are followed and
/// cookies kept as the request says, the body is read and the answer's goes to the request's destination, within its
/// limits. Time is simulated: an answer that takes two seconds, or a retry that waits for one, takes none of the
/// test's.
///
/// A stub is a value. Adding a route makes another one, which has seen nothing yet; copies of one see the same calls.
/// It may be called from any number of threads, and stubs of tests that run at the same time have nothing to do with
/// each other.
public struct StubClient: HTTPClient {
    /// What a stub from a closure is: the request, and what it comes to. It runs on the thread of each call.
    public typealias Answer = @Sendable (Request) -> Result<Response, HTTPError>

    private enum Kind: Sendable {
        case bare(Answer)
        case scripted(StubScript)
    }

    /// How many requests a stub from a closure keeps, which may see any number.
    private static let keptRequests = 1000

    /// One reference, so that an `any HTTPClient` takes it as it is.
    private let content: Content

    private final class Content: Sendable {
        let kind: Kind
        let recorder: StubRecorder
        let time: SimulatedTime

        init(_ kind: Kind, _ recorder: StubRecorder, _ time: SimulatedTime) {
            self.kind = kind
            self.recorder = recorder
            self.time = time
        }
    }

    private var kind: Kind { content.kind }
    var recorder: StubRecorder { content.recorder }
    /// The simulated time in which answers take theirs and interceptors around the stub wait. A stub from a closure over
    /// `Request` does not use it: its time is the system's.
    public var time: SimulatedTime { content.time }

    /// What a closure makes of each request, and nothing else: no destination is filled, no redirect followed, no time
    /// simulated. The closure runs on the thread that makes the call, on several at once if several call. The last
    /// 1,000 requests are kept.
    public init(_ answer: @escaping Answer) {
        content = Content(
            .bare(answer), StubRecorder(routeCount: 0, limit: Self.keptRequests), SimulatedTime())
    }

    /// A stub without routes yet: add them by `on`.
    ///
    /// - Parameters:
    ///   - strict: Whether a request that no route answers fails, with `.unsupported` and the difference to the nearest
    ///     route. Otherwise it gets a 404 that says so. `verify()` reports it either way.
    ///   - base: What stands in front of every pattern that is no whole URL, for example `https://api.example.com/v1`.
    ///     Without one, a pattern that is a path takes requests to any host.
    ///   - time: One for several stubs, or that has passed already; by default one of its own.
    public init(strict: Bool = false, base: (some URLConvertible)? = String?.none, time: SimulatedTime? = nil) {
        self.init(StubScript(base: base?.urlText, fallback: strict ? .fail : .notFound, time: time))
    }

    init(_ script: StubScript) {
        content = Content(
            .scripted(script), StubRecorder(routeCount: script.routes.count), script.time ?? SimulatedTime())
    }

    /// Fails every call with `error`.
    public static func failing(_ error: HTTPError) -> StubClient { StubClient { _ in .failure(error) } }

    /// Fails every call in this way.
    public static func failing(_ failure: StubFailure) -> StubClient {
        StubClient().on("**", answer: .failure(failure))
    }

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        switch kind {
        case .bare(let answer):
            recorder.note(StubbedRequest(unread: request))
            return answer(request)
        case .scripted(let script):
            var call = StubCall(request, script: script, recorder: recorder, time: time)
            return call.run()
        }
    }

    /// What is scripted; of a stub from a closure, that it answers what no route does.
    var script: StubScript {
        switch kind {
        case .bare(let answer): StubScript().passing(to: StubClient(answer))
        case .scripted(let script): script
        }
    }
}

extension StubClient: ClockedClient {
    package var clock: CallClock {
        switch kind {
        case .bare: .system
        case .scripted: time.clock
        }
    }
}
