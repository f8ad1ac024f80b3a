import HTTPSupport

extension Future {
    /// The values of the futures that `make` returns for `inputs`, in order, with at most `maxConcurrent` of them
    /// running; below 1 counts as 1. The first failure ends it: running futures are cancelled, and no more are made.
    public static func all<Input: Sendable, Element>(
        _ inputs: [Input], maxConcurrent: Int, _ make: @escaping @Sendable (Input) -> Future<Element, Failure>
    ) -> Future where Value == [Element] {
        let work = Locked((next: 0, values: [Element?](repeating: nil, count: inputs.count)))
        @Sendable func lane() -> Future<Void, Failure> {
            let next = work.withLock { work -> Int? in
                guard work.next < inputs.count else { return nil }
                defer { work.next += 1 }
                return work.next
            }
            guard let index = next else { return .success(()) }
            return make(inputs[index]).followed(takingBudget: false).mapError { failure in
                // No further futures are made.
                work.withLock { $0.next = inputs.count }
                return failure
            }.flatMap { value in
                work.withLock { $0.values[index] = value }
                return lane()
            }
        }
        let lanes = (0..<min(max(1, maxConcurrent), inputs.count)).map { _ in lane() }
        return Future<[Void], Failure>.all(lanes).map { _ in work.withLock { $0.values.compactMap { $0 } } }
    }
}
