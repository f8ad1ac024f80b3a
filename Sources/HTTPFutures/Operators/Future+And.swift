extension Future {
    /// The values of both; or the first failure, and then the other is cancelled unless it has another dependent.
    ///
    ///     token.and(user).flatMap { token, user in client.future(for: .get(url) |> .bearer(token) |> .query("id", user.id)) }
    public func and<Other: Sendable>(_ other: Future<Other, Failure>) -> Future<(Value, Other), Failure> {
        zipped(self, other)
    }

    /// The values of two futures, as `zip` has those of any number.
    // The compiler does not infer types through a parameter pack where the expression goes on: `zip(…).flatMap { … |> … }`.
    public static func zip<First: Sendable, Second: Sendable>(
        _ first: Future<First, Failure>, _ second: Future<Second, Failure>
    ) -> Future where Value == (First, Second) { zipped(first, second) }

    /// The values of three futures, as `zip` has those of any number.
    public static func zip<First: Sendable, Second: Sendable, Third: Sendable>(
        _ first: Future<First, Failure>, _ second: Future<Second, Failure>, _ third: Future<Third, Failure>
    ) -> Future where Value == (First, Second, Third) { zipped(first, second, third) }

    /// The values of four futures, as `zip` has those of any number.
    public static func zip<First: Sendable, Second: Sendable, Third: Sendable, Fourth: Sendable>(
        _ first: Future<First, Failure>, _ second: Future<Second, Failure>, _ third: Future<Third, Failure>,
        _ fourth: Future<Fourth, Failure>
    ) -> Future where Value == (First, Second, Third, Fourth) { zipped(first, second, third, fourth) }
}

private func zipped<each Element: Sendable, Failure: Error>(
    _ futures: repeat Future<each Element, Failure>
) -> Future<(repeat each Element), Failure> { .zip(repeat each futures) }
