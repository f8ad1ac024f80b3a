extension Interceptor {
    /// Tells `observer` what each call does: when it starts, each exchange and each of its phases, what it waits for, and
    /// when it has finished.
    ///
    ///     client.intercepted(by: .events { event in
    ///         if case .finished(let request, _, let time, _) = event { metrics.record(request.url.path, time) }
    ///     })
    ///
    /// It runs on the thread of the call, on several at once if several call, and for awaited calls on one that makes
    /// others', too: keep it short, and do not wait for a call there. Requests and outcomes are whole, with what secrets
    /// they carry; their descriptions mask those. Listed behind `.retry()` it sees each attempt as a call of its own, before
    /// it all attempts of a call. Where several observe a call, they are told the same ids.
    public static func events(_ observer: @escaping @Sendable (CallEvent) -> Void) -> Interceptor {
        Interceptor(EventPolicy(observer: observer))
    }
}

private struct EventPolicy: PassingPolicy {
    let observer: @Sendable (CallEvent) -> Void
    private var id: CallID?

    init(observer: @escaping @Sendable (CallEvent) -> Void) { self.observer = observer }

    mutating func before(_ moment: PolicyMoment) -> PolicyStep {
        let call = CallObserver(outer: moment.request.observer, observer)
        id = call.id
        observer(.started(moment.request, id: call.id))
        return .send(moment.request.observed(by: call))
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        guard let id else { return outcome }
        let outcome = outcome.changingMetrics { $0.setID(id) }
        observer(.finished(moment.request, outcome, moment.startTime.duration(to: moment.time), id: id))
        return outcome
    }
}
