public import HTTPAsync
import HTTPCore

/// What a step came to: a result, or a future to take it from.
@usableFromInline
enum Outcome<Value: Sendable, Failure: Error> {
    case settled(Result<Value, Failure>)
    case pending(Future<Value, Failure>)
}

extension Future {
    @usableFromInline typealias Step<NewValue: Sendable, NewFailure: Error> =
        @Sendable (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>

    /// A future that ends with what `step` makes of this one's result: the base of the operators.
    @inlinable func derive<NewValue, NewFailure>(
        on queue: CallbackQueue?, starts: WorkStart = .never, _ step: @escaping Step<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        typealias Derived = Future<NewValue, NewFailure>
        if isRunElsewhere(on: queue) { return derive(on: queue, budget, starts: starts, step) }
        let derived = core.derive(Derived.Core.self) { result, node in
            if var core = node.take(as: Derived.Core.self) { Derived.end(&core, step(result)) }
        }
        if let derived { return Derived(core: derived) }
        return derivedNow(step) ?? derive(on: nil, nil, starts: starts, step)
    }

    /// Not inlined: an optimizer that knows the answer for the first link of a chain allocates the steps of the others.
    @inline(never) @usableFromInline
    func isRunElsewhere(on queue: CallbackQueue?) -> Bool { queue != nil || budget != nil }

    /// The same with a queue or a budget, or behind callbacks that are due.
    @usableFromInline func derive<NewValue, NewFailure>(
        on queue: CallbackQueue?, _ budget: Budget?, starts: WorkStart, _ step: @escaping Step<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        typealias Derived = Future<NewValue, NewFailure>
        let derived = Derived.Core.make()
        let waiter = Waiter<Result<Value, Failure>>(derived) { result, node in
            let parcel = Locked(node.take(as: Derived.Core.self))
            let end = { @Sendable in
                // It may have ended by the time the queue comes to it.
                guard var core = parcel.withLock({ $0.take() }), core.withLock({ $0.isWanted }) else { return }
                Derived.end(&core, budget?.run(result, starts: starts, step) ?? step(result))
            }
            if let queue { queue.run { Trampoline.perform(end) } } else { end() }
        }
        core.attach(waiter, of: derived)
        return Derived(core: derived, budget: budget)
    }

    /// The same at once, with nothing stored, if nobody is ahead of it.
    @inlinable func derivedNow<NewValue, NewFailure>(
        _ step: Step<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure>? {
        guard let result = core.withLock({ $0.quietResult }) else { return nil }
        return switch Trampoline.performIfIdle({ step(result) }) {
        case .settled(let result): Future<NewValue, NewFailure>(result)
        case .pending(let inner): inner.followed(budget: nil)
        case nil: nil
        }
    }

    @inlinable static func end(_ core: inout Core, _ outcome: Outcome<Value, Failure>) {
        switch outcome {
        case .settled(let result): core.settle(result)
        case .pending(let inner):
            if let result = inner.result { core.settle(result) } else { Core.adopt(&core, inner.core) }
        }
    }

    /// A future of its own that ends as this one does.
    @usableFromInline func followed(budget: Budget?) -> Future {
        let follower = Core.make()
        follower.follow(core)
        return Future(core: follower, budget: budget)
    }
}
