extension Future {
    /// All values, in the order of `futures`; or the first failure to come, and then the rest are cancelled, where nothing
    /// else needs them.
    @inlinable
    public static func all<Element>(_ futures: [Future<Element, Failure>]) -> Future where Value == [Element] {
        guard !futures.isEmpty else { return .success([]) }
        let countdown = Countdown(futures.count)
        return joining(futures.map { $0.core }) { source, all in
            switch Future<Element, Failure>.slot(source) {
            case .failure(let failure): all.settle(.failure(failure))
            case .success, .pending:
                guard countdown.arrive() else { return }
                all.settle(
                    .success(
                        futures.compactMap {
                            guard case .success(let value) = $0.core.stored else { return nil }
                            return value
                        }))
            }
        }
    }
}
