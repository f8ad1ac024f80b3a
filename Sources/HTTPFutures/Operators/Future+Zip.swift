extension Future {
    /// The values of several futures of different types; or the first failure, and then the others are cancelled unless
    /// they have another dependent.
    public static func zip<each Element>(
        _ futures: repeat Future<each Element, Failure>
    ) -> Future where Value == (repeat each Element) {
        var count = 0
        for _ in repeat each futures { count += 1 }
        if count == 0, let values = try? (repeat (each futures).present()) { return .success(values) }
        let (zipped, countdown) = (Core.make(), Countdown(count))
        var sources: [Upstream.Source] = []
        for future in repeat each futures {
            let source = future.source(of: zipped) { result, zipped, budget in
                zipped.limit(budget)
                if case .failure(let failure) = result { return _ = zipped.end(.failure(failure)) }
                guard countdown.arrive(), let values = try? (repeat (each futures).present()) else { return }
                zipped.settle(.success(values))
            }
            sources.append(source)
        }
        zipped.wait(for: .several(sources))
        return Future(core: zipped)
    }

    private struct Pending: Error {}

    private func present() throws(Pending) -> Value {
        guard case .success(let value) = result else { throw Pending() }
        return value
    }
}

extension Future {
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
