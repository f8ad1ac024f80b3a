extension Interceptor {
    /// Tells `observer` when a call starts and when it has finished.
    ///
    ///     client.intercepted(by: .events { event in
    ///         if case .finished(let request, _, let time) = event { metrics.record(request.url.path, time) }
    ///     })
    ///
    /// It runs on the thread of the call, on several at once if several call, and for awaited calls on one that makes
    /// others', too: keep it short, and do not wait for a call there. Request and outcome are whole, with what secrets
    /// they carry; their descriptions mask those. Listed behind `.retry()` it sees each attempt, before it each call.
    public static func events(_ observer: @escaping @Sendable (CallEvent) -> Void) -> Interceptor {
        Interceptor(EventPolicy(observer: observer))
    }
}

private struct EventPolicy: PassingPolicy {
    let observer: @Sendable (CallEvent) -> Void

    func before(_ moment: PolicyMoment) -> PolicyStep {
        observer(.started(moment.request))
        return .send(moment.request)
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        observer(.finished(moment.request, outcome, moment.start.duration(to: moment.now)))
        return outcome
    }
}
