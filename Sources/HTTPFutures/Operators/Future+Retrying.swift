extension Future {
    /// The result of the future that `make` returns. After a failure for which `isWorthIt` returns true, `make` is
    /// called again, at most `retries` times. `make` gets the number of the retry, 0 for the first attempt; `delay` the
    /// number of earlier retries.
    ///
    /// Cancelling the future ends the current attempt or wait.
    public static func retrying(
        _ retries: Int, after delay: @escaping @Sendable (_ retry: Int) -> Duration = { _ in .zero },
        if isWorthIt: @escaping @Sendable (Failure) -> Bool = { _ in true },
        _ make: @escaping @Sendable (_ retry: Int) -> Future
    ) -> Future {
        @Sendable func attempt(_ number: Int) -> Future {
            make(number).followed(takingBudget: false).flatMapError { failure in
                guard number < retries, isWorthIt(failure) else { return .failure(failure) }
                let delay = delay(number)
                guard delay > .zero else { return attempt(number + 1) }
                // The failure and not a value: a future that was cancelled meanwhile can end with it.
                return later(.failure(failure), after: delay).flatMapError { _ in attempt(number + 1) }
            }
        }
        return attempt(0)
    }
}
