extension Interceptor {
    /// Applies `step` to every request.
    ///
    ///     client.intercepted(by: .applying(.header("API-Version", "2") |> .header("Device-Type", "linux")))
    ///
    /// A step of your own may depend on the request. It runs on the thread of each call, so on several at once, and an
    /// error that it throws is the result.
    ///
    ///     client.intercepted(by: .applying(RequestStep { draft in
    ///         if draft.method == .post { draft.headers["Idempotency-Key"] = UUID().uuidString }
    ///     }))
    ///
    /// The changed request is validated again. An invalid one fails with `.invalidRequest`, and nothing is sent.
    public static func applying(_ step: RequestStep) -> Interceptor { Interceptor(StepPolicy(step: step)) }

    /// Applies the step that `make` returns. `make` runs once for each call, where the call is made, so it sees the
    /// task-local values of the caller. Each attempt of the call gets the same step. Each connection of a stream of events
    /// is a call. Listed after a blocking closure it runs within that, for an awaited call on another thread.
    ///
    ///     client.intercepted(by: .applying { .header("Trace-Id", Trace.current.id) })
    public static func applying(_ make: @escaping @Sendable () -> RequestStep) -> Interceptor {
        Interceptor(MadeStepPolicy(make: make))
    }

    /// Applies the step that `make` returns for a request: to each that reaches it, and for the look-up of a cache around
    /// it. Listed after `.retry()` it does so for each attempt; the requests of redirects are not among them. It runs on the
    /// thread of the call.
    ///
    ///     client.intercepted(by: .applying { request in .header("Signature", try signature(of: request)) })
    ///
    /// - Parameter make: An `HTTPError` that it throws fails the call; `CancellationError` ends it as `.cancelled`, and any
    ///   other error as `.interceptor`. Nothing is sent then.
    public static func applying(_ make: @escaping @Sendable (_ request: Request) throws -> RequestStep) -> Interceptor {
        .applying(
            RequestStep { (draft) throws(HTTPError) in
                let request = try Request(draft)
                do { draft = draft |> (try make(request)) } catch {
                    throw InterceptorFailure.named(error, from: .interceptor, CallRecord(unsent: request))
                }
            })
    }
}

private struct MadeStepPolicy: PreparedPolicy, PassingPolicy, ForeseeablePolicy {
    let make: @Sendable () -> RequestStep
    private var step: RequestStep?

    init(make: @escaping @Sendable () -> RequestStep) { self.make = make }

    /// Once for a call: what it does in the background is done for the same caller.
    mutating func prepare() { if step == nil { step = make() } }

    var changesRequests: Bool { true }

    func foreseen(_ request: Request) -> Request? { step.flatMap { try? Request(request |> $0) } }

    func before(_ moment: PolicyMoment) -> PolicyStep { .send(moment.request |> (step ?? make())) }
}

private struct StepPolicy: PassingPolicy, ForeseeablePolicy {
    let step: RequestStep

    var changesRequests: Bool { true }

    func foreseen(_ request: Request) -> Request? { try? Request(request |> step) }

    func before(_ moment: PolicyMoment) -> PolicyStep { .send(moment.request |> step) }
}

extension Interceptor {
    /// Turns a response for which `isAcceptable` returns false into a failure: `.unacceptableStatus` with the whole
    /// response. By default a 2xx status is acceptable.
    ///
    ///     client.intercepted(by: .validate())
    ///     client.intercepted(by: .validate { $0.status.isSuccess || $0.status == .notModified })
    ///
    /// Interceptors listed before this one see the failure, those after it the response. Retries, caches, Digest and
    /// the refresh of tokens work on either side.
    public static func validate(
        _ isAcceptable: @escaping @Sendable (Response) -> Bool = { $0.status.isSuccess }
    ) -> Interceptor {
        Interceptor(ValidationPolicy(isAcceptable: isAcceptable))
    }
}

private struct ValidationPolicy: PassingPolicy, ForeseeablePolicy {
    let isAcceptable: @Sendable (Response) -> Bool

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        outcome.flatMap { isAcceptable($0) ? .success($0) : .failure(.unacceptableStatus($0)) }
    }
}
