extension Interceptor {
    /// Tells `observer` when a call starts and when it has finished.
    ///
    ///     client.intercepted(by: .events { event in
    ///         if case .finished(let request, _, let time, _) = event { metrics.record(request.url.path, time) }
    ///     })
    ///
    /// It runs on the thread of the call, on several at once if several call, and for awaited calls on one that makes
    /// others', too: keep it short, and do not wait for a call there. Request and outcome are whole, with what secrets
    /// they carry; their descriptions mask those. Listed behind `.retry()` it sees each attempt, before it each call: both events of one have the same id.
    public static func events(_ observer: @escaping @Sendable (CallEvent) -> Void) -> Interceptor {
        Interceptor(EventPolicy(observer: observer))
    }
}

private struct EventPolicy: PassingPolicy {
    let observer: @Sendable (CallEvent) -> Void
    let counter = CallCounter()
    private var id = CallID(number: 0)

    init(observer: @escaping @Sendable (CallEvent) -> Void) { self.observer = observer }

    mutating func before(_ moment: PolicyMoment) -> PolicyStep {
        id = counter.next()
        observer(.started(moment.request, id: id))
        return .send(moment.request)
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        observer(.finished(moment.request, outcome, moment.start.duration(to: moment.now), id: id))
        return outcome
    }
}
