import HTTPSupport

extension Future {
    /// The values of the futures that `make` returns for `inputs`, in order, with at most `maxConcurrent` of them
    /// running; below 1 counts as 1. The first failure ends it: running futures are cancelled, and no more are made.
    public static func all<Input: Sendable, Element>(
        _ inputs: [Input], maxConcurrent: Int,
        _ make: @escaping @Sendable (Input) -> Future<Element, Failure>
    ) -> Future where Value == [Element] {
        let work = Work<Input, Element>(inputs)
        @Sendable func lane() -> Future<Void, Failure> {
            guard let (index, input) = work.next() else { return .success(()) }
            return make(input).followed(takingBudget: false).mapError { failure in
                work.stop()
                return failure
            }.flatMap { value in
                work.store(value, at: index)
                return lane()
            }
        }
        let lanes = (0..<min(max(1, maxConcurrent), inputs.count)).map { _ in lane() }
        return Future<[Void], Failure>.all(lanes).map { _ in work.values }
    }
}

private final class Work<Input: Sendable, Element: Sendable>: Sendable {
    private let inputs: [Input]
    private let state: Locked<(next: Int, values: [Element?])>

    init(_ inputs: [Input]) {
        self.inputs = inputs
        state = Locked((0, Array(repeating: nil, count: inputs.count)))
    }

    func next() -> (Int, Input)? {
        state.withLock { state in
            guard state.next < inputs.count else { return nil }
            defer { state.next += 1 }
            return (state.next, inputs[state.next])
        }
    }

    /// No further futures are made.
    func stop() { state.withLock { $0.next = inputs.count } }

    func store(_ value: Element, at index: Int) { state.withLock { $0.values[index] = value } }

    var values: [Element] { state.withLock { $0.values.compactMap { $0 } } }
}
