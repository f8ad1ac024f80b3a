import HTTPSupport

extension Interceptor {
    /// Reports the events of each call to `observer`: its start, each exchange and its phases, waits, and the end.
    ///
    ///     client.intercepted(by: .observing { event in
    ///         if case .finished(let request, _, let time, _) = event { metrics.record(request.url.path, time) }
    ///     })
    ///
    /// It runs on the thread of the call, so it may run on several threads at once. Awaited calls share their thread
    /// with others: keep it short, and do not wait for a call there. Requests and results are complete and may contain
    /// secrets; their descriptions mask these. Listed after `.retry()` it sees each attempt as a call, listed before
    /// it all attempts of a call. Several observers of one call get the same ids.
    public static func observing(_ observer: @escaping @Sendable (CallEvent) -> Void) -> Interceptor {
        Interceptor(EventPolicy(observer: observer))
    }
}

private struct EventPolicy: PassingPolicy, ForeseeablePolicy {
    let observer: @Sendable (CallEvent) -> Void
    var id: CallID?

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
