extension Future {
    /// All values, in the order of `futures`; or the first failure, and then the others are cancelled unless they have
    /// another dependent.
    @inlinable
    public static func all<Element>(_ futures: [Future<Element, Failure>]) -> Future where Value == [Element] {
        guard !futures.isEmpty else { return .success([]) }
        let countdown = Countdown(futures.count)
        return joining(futures) { result, all, budget in
            all.limit(budget)
            if case .failure(let failure) = result { return _ = all.end(.failure(failure)) }
            guard countdown.arrive() else { return }
            all.settle(.success(futures.compactMap { try? $0.result?.get() }))
        }
    }
}
