import HTTPSupport

/// The outcome of a step: a result, or a future that supplies it.
@usableFromInline
enum Outcome<Value: Sendable, Failure: Error> {
    case settled(Result<Value, Failure>)
    case pending(Future<Value, Failure>)
}

extension Future {
    @usableFromInline typealias Step<NewValue: Sendable, NewFailure: Error> =
        @Sendable (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>

    @usableFromInline typealias Condition = @Sendable (Result<Value, Failure>) -> Bool

    /// A future that ends with the outcome of `step` for this one's result: the base of the operators. With a used-up
    /// budget `step` is not called for results that make it start work. Nor is it for failures of that kind if the future
    /// has been given up and can end with them.
    // A closure and not an enum: a closure without captures costs no memory when another captures it.
    @inlinable func derive<NewValue, NewFailure>(
        on queue: CallbackQueue?, startsWork: @escaping Condition = { _ in false },
        _ step: @escaping Step<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        typealias Derived = Future<NewValue, NewFailure>
        if isRunElsewhere(on: queue) { return derive(at: queue, startsWork: startsWork, step) }
        let derived = core.derive(Derived.Core.self) { result, node, budget in
            guard var core = node.take(as: Derived.Core.self) else { return }
            if Derived.isEnded(core, by: result, startsWork: startsWork) { return }
            if let budget { return Derived.end(&core, within: budget, startsWork: startsWork, result, step) }
            Derived.end(&core, step(result))
        }
        if let derived { return Derived(core: derived) }
        return derivedNow(step) ?? derive(at: nil, startsWork: startsWork, step)
    }

    /// Not inlined: the optimizer would specialize the first link of a chain and allocate the steps of the others.
    @inline(never) @usableFromInline
    func isRunElsewhere(on queue: CallbackQueue?) -> Bool { queue != nil }

    /// The same on a queue, behind other callbacks, or with a budget.
    @usableFromInline func derive<NewValue, NewFailure>(
        at queue: CallbackQueue?, startsWork: @escaping Condition, _ step: @escaping Step<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        typealias Derived = Future<NewValue, NewFailure>
        let derived = Derived.Core.make(budget: core.budget)
        let waiter = Waiter<Result<Value, Failure>>(derived) { result, node, budget in
            let parcel = Locked(node.take(as: Derived.Core.self))
            let end = { @Sendable in
                // It may have ended before the queue runs this.
                guard var core = parcel.withLock({ $0.take() }), core.withLock({ $0.isWanted }) else { return }
                if Derived.isEnded(core, by: result, startsWork: startsWork) { return }
                Derived.end(&core, within: budget, startsWork: startsWork, result, step)
            }
            if let queue { queue.run { Trampoline.perform(end) } } else { end() }
        }
        core.attach(waiter, of: derived)
        return Derived(core: derived)
    }

    /// The same at once, without storing a waiter, if no other waiter is ahead.
    @inlinable func derivedNow<NewValue, NewFailure>(
        _ step: Step<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure>? {
        guard let result = core.withLock({ $0.quietResult }) else { return nil }
        return switch Trampoline.performIfIdle({ step(result) }) {
        case .settled(let result): Future<NewValue, NewFailure>(result)
        case .pending(let inner): inner.followed()
        case nil: nil
        }
    }

    /// Ends `core` with the failure of its source, if nobody waits for it any more and its step would start work. One that
    /// can be cancelled has ended before; others have no failure but this one, if it is of their type.
    @inlinable static func isEnded<Source, SourceFailure>(
        _ core: Core, by result: Result<Source, SourceFailure>, startsWork: (Result<Source, SourceFailure>) -> Bool
    ) -> Bool {
        guard case .failure(let failure) = result, startsWork(result), core.withLock({ $0.isGivenUp }),
            let failure = failure as? Failure
        else { return false }
        core.settle(.failure(failure))
        return true
    }

    @inlinable static func end(_ core: inout Core, _ outcome: Outcome<Value, Failure>) {
        switch outcome {
        case .settled(let result): core.settle(result)
        case .pending(let inner):
            if let result = inner.core.withLock({ $0.unlimitedResult }) { return _ = core.settle(result) }
            Core.adopt(&core, inner.core)
        }
    }

    @usableFromInline static func end<Source, SourceFailure>(
        _ core: inout Core, within budget: Budget?, startsWork: (Result<Source, SourceFailure>) -> Bool,
        _ result: Result<Source, SourceFailure>,
        _ step: (Result<Source, SourceFailure>) -> Outcome<Value, Failure>
    ) {
        core.limit(budget)
        end(&core, budget?.run(result, startsWork: startsWork, step) ?? step(result))
    }

    /// A new future that ends as this one does.
    @usableFromInline func followed(takingBudget: Bool = true) -> Future {
        let follower = Core.make()
        follower.follow(core, takingBudget: takingBudget)
        return Future(core: follower)
    }
}

extension Result {
    @inlinable var isSuccess: Bool { if case .success = self { true } else { false } }
}
