import HTTPSupport

extension Future {
    /// A future that ends as this one does, or as timed out at the deadline, which is `limit` after its beginning; then
    /// it stops depending on this one. The error type must have `timedOut`.
    @inlinable func limited(to deadline: TimePoint, after limit: Duration, budget: Budget? = nil) -> Future {
        // A result that is there is kept, however short the time, also within a callback, behind which a step would run.
        let limited = isPending ? derive(on: nil) { .settled($0) } : followed()
        limited.core.limit(budget)
        if limited.isPending { Wakeup(limited.core, after: limit).set(for: limited.core, at: deadline) }
        return limited
    }

    static func later(_ result: Result<Value, Failure>, after delay: Duration) -> Future {
        guard delay > .zero else { return Future(result) }
        let core = Core.make()
        Wakeup(Delayed(core, result), after: delay).set(for: core, at: .now + delay)
        return Future(core: core)
    }
}

extension FutureCore: Expiring {
    @usableFromInline func expire(after time: Duration) {
        guard let failure = (Failure.self as? any FutureFailure.Type)?.timedOut(after: time) as? Failure else { return }
        end(.failure(failure))
    }
}

/// A result, and the future that gets it later.
private final class Delayed<Value: Sendable, Failure: Error>: Expiring {
    private let core: FutureCore<Value, Failure>
    private let result: Result<Value, Failure>

    init(_ core: FutureCore<Value, Failure>, _ result: Result<Value, Failure>) {
        (self.core, self.result) = (core, result)
    }

    func expire(after time: Duration) { core.settle(result) }
}
