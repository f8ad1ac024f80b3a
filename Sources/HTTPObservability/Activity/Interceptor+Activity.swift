extension Interceptor {
    /// Reports the number of running calls to `observer` at every change.
    ///
    ///     client.intercepted(by: .activity { count in
    ///         DispatchQueue.main.async { spinner.isVisible = count > 0 }
    ///     })
    ///
    /// The changes come in order, one at a time. The count is never negative and is zero after the last call. Listed
    /// first, it counts a call from its start, before any wait, until its result is there.
    public static func activity(_ observer: @escaping @Sendable (_ inFlight: Int) -> Void) -> Interceptor {
        activity(ActivityCounter(observer))
    }

    /// The same with a counter that several clients share.
    public static func activity(_ counter: ActivityCounter) -> Interceptor {
        Interceptor(ActivityPolicy(counter: counter))
    }
}

private struct ActivityPolicy: PassingPolicy, ForeseeablePolicy {
    let counter: ActivityCounter

    func before(_ moment: PolicyMoment) -> PolicyStep {
        counter.add(1)
        return .pass
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        counter.add(-1)
        return outcome
    }
}
