extension Future {
    /// What `make` comes to; after a failure that `isWorthIt`, what it comes to the next time, `retries` times at most
    /// beyond the first. `make` is told how many attempts were before; `delay` how many retries, to say how long to wait.
    ///
    /// Cancelling the future ends the attempt or the wait that is under way.
    public static func retrying(
        _ retries: Int, after delay: @escaping @Sendable (_ retry: Int) -> Duration = { _ in .zero },
        if isWorthIt: @escaping @Sendable (Failure) -> Bool = { _ in true },
        _ make: @escaping @Sendable (_ attempt: Int) -> Future
    ) -> Future {
        @Sendable func attempt(_ number: Int) -> Future {
            make(number).followed(takingBudget: false).flatMapError { failure in
                guard number < retries, isWorthIt(failure) else { return .failure(failure) }
                let delay = delay(number)
                guard delay > .zero else { return attempt(number + 1) }
                return Future<Void, Failure>.later(.success(()), after: delay).flatMap { attempt(number + 1) }
            }
        }
        return attempt(0)
    }
}
