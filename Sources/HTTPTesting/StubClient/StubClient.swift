@_exported public import HTTPCore

/// An `HTTPClient` that answers from a script: for tests of code that makes calls, without a server.
///
///     let stub = StubClient(strict: true, base: "https://api.example.com/v1")
///         .on(.post, "/login", .json(["user": "ada"]), answer: .json(session))
///         .on(.get, "/notes/{id}") { call in .json(Note(id: call["id"])) }
///         .on(.get, "/jobs/7", answer: .status(202).times(2).then(.json(job)))
///         .on(.get, "/news", answer: .failure(.connection(.refused)))
///     …                                    // the code under test calls `stub`
///     #expect(stub.requests.count == 5)
///     try stub.verify()
///
/// The first matching route answers a request as a transport does: the request's policies decide about redirects and
/// cookies, its body is read, and the response body goes to its destination, within its limits. Time is simulated: an
/// answer that takes two seconds, or a retry that waits for two seconds, takes no real time.
///
/// Awaited calls need a thread each while the stub answers, and use no slot of the default dispatchers.
///
/// A stub is a value. Adding a route makes another one without requests; copies share their record. Any number of
/// threads may call it, and stubs of concurrent tests are independent.
public struct StubClient: HTTPClient {
    /// A stub from a closure over requests. The closure runs on the thread of each call.
    public typealias Answer = @Sendable (Request) -> Result<Response, HTTPError>

    private enum Kind: Sendable {
        case bare(Answer)
        case scripted(StubScript)
    }

    /// The number of requests that a stub from a closure keeps.
    private static let keptRequests = 1000

    /// A single reference, so that an `any HTTPClient` holds it inline.
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
    package var recorder: StubRecorder { content.recorder }
    /// The simulated time of answers and of interceptors around the stub. A stub from a closure over `Request` uses the
    /// system's clock instead.
    public var time: SimulatedTime { content.time }

    /// Answers each request with the result of a closure, and nothing else: it fills no destination, follows no
    /// redirect, and simulates no time. The closure runs on the thread that makes the call, concurrently for concurrent
    /// calls. The last 1,000 requests are kept.
    public init(_ answer: @escaping Answer) {
        content = Content(
            .bare(answer), StubRecorder(routeCount: 0, limit: Self.keptRequests), SimulatedTime())
    }

    /// A stub without routes: add them with `on`.
    ///
    /// - Parameters:
    ///   - strict: Whether a request that no route answers fails, with an `UnmatchedRequest` in `HTTPError.other` that tells
    ///     the differences from the nearest route. Otherwise it gets a 404 with that text. `verify()` reports it either way.
    ///   - base: The prefix of every pattern that is not a whole URL, for example `https://api.example.com/v1`. Without
    ///     one, a pattern that is a path matches any host.
    ///   - time: A clock that several stubs share; by default a new one.
    public init(strict: Bool = false, base: (some URLConvertible)? = String?.none, time: SimulatedTime? = nil) {
        // Requests show no credentials, and no fragment.
        let text = (base as? HTTPURL)?.string ?? base?.urlText
        self.init(StubScript(base: text, fallback: strict ? .fail : .notFound, time: time))
    }

    init(_ script: StubScript) {
        content = Content(
            .scripted(script), StubRecorder(routeCount: script.routes.count), script.time ?? SimulatedTime())
    }

    /// Fails every call with `error`.
    public static func failing(error: HTTPError) -> StubClient { StubClient { _ in .failure(error) } }

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

    /// The script. For a stub from a closure, the closure answers requests that no route answers.
    var script: StubScript {
        switch kind {
        case .bare(let answer): StubScript().passing(to: StubClient(answer))
        case .scripted(let script): script
        }
    }
}

extension StubClient: ClockedClient {
    package var clock: CallClock { if case .scripted = kind { time.clock } else { .system } }

    package var answersItself: Bool { if case .scripted(let script) = kind { script.answersItself } else { true } }
}
