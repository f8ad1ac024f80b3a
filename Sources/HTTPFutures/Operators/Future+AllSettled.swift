extension Future {
    /// The results of all, in the order of `futures`, once all have ended. It fails only if it is cancelled or times
    /// out.
    @inlinable
    public static func allSettled<Element>(
        _ futures: [Future<Element, Failure>]
    ) -> Future where Value == [Result<Element, Failure>] {
        guard !futures.isEmpty else { return .success([]) }
        let countdown = Countdown(futures.count)
        return joining(futures) { result, settled, budget in
            if case .success = result { settled.limit(budget) }
            if countdown.arrive() { settled.settle(.success(futures.compactMap { $0.result })) }
        }
    }
}
