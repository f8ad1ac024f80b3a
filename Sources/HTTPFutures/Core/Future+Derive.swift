public import HTTPAsync

/// What a step came to: a result, or a future to take it from.
@usableFromInline
enum Outcome<Value: Sendable, Failure: Error> {
    case settled(Result<Value, Failure>)
    case pending(Future<Value, Failure>)
}

extension Future {
    /// A future that ends with what `work` makes of this one's result: the base of the operators. Nothing is stored if
    /// `work` can run at once.
    @inlinable @inline(__always)
    func derive<NewValue, NewFailure>(
        on queue: CallbackQueue?, starts: WorkStart = .never,
        _ work: @escaping @Sendable (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        typealias Derived = Future<NewValue, NewFailure>
        if let budget = core.budget { return derive(on: queue, within: budget, starts: starts, work) }
        guard let queue else {
            if let derived = derivedNow(work) { return derived }
            return attached { source, node in
                guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return .over }
                return Derived.finish(node, work(result))
            }
        }
        return attached { source, node in
            source.hop(to: queue, node) { source, node in
                guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return .over }
                return Derived.finish(node, work(result))
            }
            return .over
        }
    }

    /// A future of what `work` makes of a result that is there, if `work` can run at once; else nil.
    @inlinable @inline(__always)
    func derivedNow<NewValue, NewFailure>(
        _ work: (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure>? {
        guard core.isQuiet, let result = core.stored.result, let trampoline = Trampoline.enter() else { return nil }
        let outcome = work(result)
        Trampoline.leave(trampoline)
        switch outcome {
        case .settled(let result): return Future<NewValue, NewFailure>(Slot(result), budget: nil)
        case .pending(let inner): return Future<NewValue, NewFailure>(following: inner, budget: nil)
        }
    }

    /// A future with this one as its source: for the operators that make the longest chains, which keep their transform
    /// in the derived future itself.
    @inlinable @inline(__always)
    func linked<NewValue, NewFailure>(
        _ node: ResultCore<Slot<NewValue, NewFailure>>
    ) -> Future<NewValue, NewFailure> {
        node.wait(on: core)
        core.attach(node)
        return Future<NewValue, NewFailure>(core: node)
    }

    /// The same for a chain with a budget, which is passed on.
    @usableFromInline
    func derive<NewValue, NewFailure>(
        on queue: CallbackQueue?, within budget: Budget, starts: WorkStart,
        _ work: @escaping @Sendable (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        let step: FutureCore.Step = { source, node in
            guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return .over }
            return Future<NewValue, NewFailure>.finish(node, budget.run(result, starts: starts, work))
        }
        guard let queue else { return attached(step) }
        return attached { source, node in
            source.hop(to: queue, node, step)
            return .over
        }
    }

    /// A pending future with this one as its source.
    @inlinable
    func attached<NewValue, NewFailure>(_ step: @escaping FutureCore.Step) -> Future<NewValue, NewFailure> {
        linked(Future<NewValue, NewFailure>.Core(.pending, budget: core.budget, step: step))
    }

    /// A future of its own that ends as `inner` does.
    @inlinable
    init(following inner: Future, budget: Budget?) {
        guard inner.isPending else {
            self.init(inner.core.stored, budget: budget)
            return
        }
        self.init(core: Core(.pending, budget: budget, step: Self.forward))
        core.wait(on: inner.core)
        inner.core.attach(core)
    }

    /// Ends `node`, one of this type, with an outcome, or says what it has to wait for.
    @inlinable
    static func finish(_ node: FutureCore, _ outcome: Outcome<Value, Failure>) -> StepEnd {
        switch outcome {
        case .settled(let result): return unsafeDowncast(node, to: Core.self).settled(Slot(result))
        case .pending(let future):
            guard future.isPending else { return unsafeDowncast(node, to: Core.self).settled(future.core.stored) }
            return .pending(Adoption(future.core, forward))
        }
    }

    /// Passes a result on.
    @inlinable static var forward: FutureCore.Step {
        { source, node in
            unsafeDowncast(node, to: Core.self).settled(unsafeDowncast(source, to: Core.self).stored)
        }
    }
}
