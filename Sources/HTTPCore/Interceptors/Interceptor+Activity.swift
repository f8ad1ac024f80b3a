extension Interceptor {
    /// Tells `observer` how many calls are under way, at every change.
    ///
    ///     client.intercepted(by: .activity { count in
    ///         DispatchQueue.main.async { spinner.isVisible = count > 0 }
    ///     })
    ///
    /// The changes come in order, one at a time; the count is never negative and is zero after the last call. Listed
    /// first, it counts a call from before it waits for anything until its outcome is there.
    public static func activity(_ observer: @escaping @Sendable (_ inFlight: Int) -> Void) -> Interceptor {
        activity(ActivityCounter(observer))
    }

    /// The same with a counter that several clients share.
    public static func activity(_ counter: ActivityCounter) -> Interceptor {
        Interceptor { request, next in
            counter.add(1)
            defer { counter.add(-1) }
            return next.executeRequest(request)
        }
    }
}
