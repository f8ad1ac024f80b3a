extension Future {
    /// The values of several futures of different types; or the first failure to come, and then the rest are cancelled,
    /// where nothing else needs them.
    public static func zip<each Element>(
        _ futures: repeat Future<each Element, Failure>
    ) -> Future where Value == (repeat each Element) {
        var sources: [FutureCore] = []
        for future in repeat each futures { sources.append(future.core) }
        if sources.isEmpty, let values = try? (repeat (each futures).present()) { return .success(values) }
        let countdown = Countdown(sources.count)
        return joining(sources) { _, zipped in
            for future in repeat each futures {
                if case .failure(let failure) = future.result { return _ = zipped.settle(.failure(failure)) }
            }
            guard countdown.arrive(), let values = try? (repeat (each futures).present()) else { return }
            zipped.settle(.success(values))
        }
    }

    private struct Pending: Error {}

    private func present() throws(Pending) -> Value {
        guard case .success(let value) = result else { throw Pending() }
        return value
    }
}
