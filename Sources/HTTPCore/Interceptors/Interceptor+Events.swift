extension Interceptor {
    /// Tells `observer` when a call starts and when it has finished.
    ///
    ///     client.intercepted(by: .events { event in
    ///         if case .finished(let request, _, let time) = event { metrics.record(request.url.path, time) }
    ///     })
    ///
    /// It runs on the thread of the call, on several at once if several call. Request and outcome are whole, with what
    /// secrets they carry; their descriptions mask those. Listed behind `.retry()` it sees each attempt, before it each
    /// call.
    public static func events(_ observer: @escaping @Sendable (CallEvent) -> Void) -> Interceptor {
        events(clock: nil, observer)
    }

    package static func events(clock: CallClock?, _ observer: @escaping @Sendable (CallEvent) -> Void) -> Interceptor {
        Interceptor(clock: clock) { request, next, clock in
            observer(.started(request))
            let start = clock.now()
            let outcome = next.executeRequest(request)
            observer(.finished(request, outcome, start.duration(to: clock.now())))
            return outcome
        }
    }
}
