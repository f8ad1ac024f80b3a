extension Interceptor {
    /// Turns a response for which `isAcceptable` returns false into a failure: `.unacceptableStatus` with the whole
    /// response. By default a 2xx status is acceptable.
    ///
    ///     client.intercepted(by: .validate())
    ///     client.intercepted(by: .validate { $0.status.isSuccess || $0.status == .notModified })
    ///
    /// Interceptors listed before this one see the failure, those behind it the response. Retries and token refresh
    /// work on either side.
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
