extension Interceptor {
    /// Turns a response whose status is not in `accepted` into a failure: `.unacceptableStatus` with the whole
    /// response.
    ///
    ///     client.intercepted(by: .validate())
    ///
    /// Interceptors listed before this one see the failure, those behind it the response. Retries and token refresh
    /// work on either side.
    public static func validate(_ accepted: Range<Int> = 200..<300) -> Interceptor {
        validate { accepted.contains($0.status.rawValue) }
    }

    /// Turns a response for which `isAcceptable` returns false into `.unacceptableStatus`.
    ///
    ///     client.intercepted(by: .validate { response in response.status.isSuccess || response.status == .notModified })
    public static func validate(_ isAcceptable: @escaping @Sendable (Response) -> Bool) -> Interceptor {
        validate { response in isAcceptable(response) ? .success(response) : .failure(.unacceptableStatus(response)) }
    }

    /// Replaces each response with the result of `check`: the same response, another one, or an error.
    ///
    ///     client.intercepted(by: .validate { response in
    ///         response.body.isEmpty ? .failure(.unacceptableStatus(response)) : .success(response)
    ///     })
    public static func validate(
        _ check: @escaping @Sendable (Response) -> Result<Response, HTTPError>
    ) -> Interceptor {
        Interceptor(ValidationPolicy(check: check))
    }
}

private struct ValidationPolicy: PassingPolicy, ForeseeablePolicy {
    let check: @Sendable (Response) -> Result<Response, HTTPError>

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        outcome.flatMap(check)
    }
}
