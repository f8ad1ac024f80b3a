extension Future {
    /// A future that ends as this one does, or with `failure` at the deadline, and then this one is not needed here.
    func limited(to deadline: ContinuousClock.Instant, orElse failure: Failure, budget: Budget?) -> Future {
        let limited = Future(following: self, budget: budget)
        guard limited.isPending else { return limited }
        let alarm = Alarm(at: deadline) { [core = limited.core] in core.end(.failure(failure)) }
        limited.core.whenOver { _ in alarm.cancel() }
        return limited
    }

    /// A future that has this result after a while.
    static func later(_ result: Result<Value, Failure>, after delay: Duration) -> Future {
        guard delay > .zero else { return Future(result) }
        let core = Core(.pending)
        let alarm = Alarm(at: .now + delay) { core.settle(Slot(result)) }
        core.whenOver { _ in alarm.cancel() }
        return Future(core: core)
    }
}

/// On which results a step starts work that takes time: with a budget that is used up, it is not started.
@usableFromInline
enum WorkStart: Sendable { case never, onSuccess, onFailure }

extension Budget {
    /// Runs a step under this budget.
    @usableFromInline
    func run<Value, Failure, NewValue, NewFailure>(
        _ result: Result<Value, Failure>, starts: WorkStart,
        _ work: (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>
    ) -> Outcome<NewValue, NewFailure> {
        let isStart =
            switch (result, starts) {
            case (.success, .onSuccess), (.failure, .onFailure): true
            default: false
            }
        let late = Slot<NewValue, NewFailure>.timeout(after: total)
        if isStart, let late, remaining == .zero { return .settled(.failure(late)) }
        let outcome = Budget.$current.withValue(self) { work(result) }
        guard let late, case .pending(let inner) = outcome, inner.isPending else { return outcome }
        return .pending(inner.limited(to: deadline, orElse: late, budget: nil))
    }
}
