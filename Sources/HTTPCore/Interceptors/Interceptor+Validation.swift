extension Interceptor {
    /// Makes an answer whose status is not one of `accepted` a failure: `.unacceptableStatus`, which keeps it whole.
    ///
    ///     client.intercepted(by: .validate())
    ///
    /// Interceptors listed before this one see the failure, those behind it the answer. Retries and token refresh do as
    /// well on either side.
    public static func validate(_ accepted: Range<Int> = 200..<300) -> Interceptor {
        validate { accepted.contains($0.status.rawValue) }
    }

    /// Makes an answer that `isAcceptable` does not hold for `.unacceptableStatus`.
    ///
    ///     client.intercepted(by: .validate { response in response.status.isSuccess || response.status == .notModified })
    public static func validate(_ isAcceptable: @escaping @Sendable (Response) -> Bool) -> Interceptor {
        validate { response in isAcceptable(response) ? .success(response) : .failure(.unacceptableStatus(response)) }
    }

    /// Puts what `check` makes of an answer in its place: the answer itself, another, or an error of its own.
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

private struct ValidationPolicy: PassingPolicy {
    let check: @Sendable (Response) -> Result<Response, HTTPError>

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        outcome.flatMap(check)
    }
}
