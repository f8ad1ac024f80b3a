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
            if core.isQuiet, Trampoline.isIdle, let result = core.stored.result {
                var outcome: Outcome<NewValue, NewFailure>?
                Trampoline.perform { outcome = work(result) }
                switch outcome {
                case .settled(let result): return Derived(Slot(result), budget: nil)
                case .pending(let inner): return Derived(following: inner, budget: nil)
                case nil: break
                }
            }
            return attached { source, node in
                guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return nil }
                return Derived.finish(node, work(result))
            }
        }
        return attached { source, node in
            source.hop(to: queue, node) { source, node in
                guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return nil }
                return Derived.finish(node, work(result))
            }
            return nil
        }
    }

    /// The same for a chain with a budget, which is passed on.
    @usableFromInline
    func derive<NewValue, NewFailure>(
        on queue: CallbackQueue?, within budget: Budget, starts: WorkStart,
        _ work: @escaping @Sendable (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        let step: FutureCore.Step = { source, node in
            guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return nil }
            return Future<NewValue, NewFailure>.finish(node, budget.run(result, starts: starts, work))
        }
        guard let queue else { return attached(step) }
        return attached { source, node in
            source.hop(to: queue, node, step)
            return nil
        }
    }

    /// A pending future with this one as its source.
    @inlinable
    func attached<NewValue, NewFailure>(_ step: @escaping FutureCore.Step) -> Future<NewValue, NewFailure> {
        let node = Future<NewValue, NewFailure>.Core(.pending, budget: core.budget, step: step)
        node.wait(on: core)
        core.attach(node)
        return Future<NewValue, NewFailure>(core: node)
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
    static func finish(_ node: FutureCore, _ outcome: Outcome<Value, Failure>) -> Adoption? {
        switch outcome {
        case .settled(let result):
            unsafeDowncast(node, to: Core.self).settle(Slot(result))
            return nil
        case .pending(let future):
            guard future.isPending else {
                unsafeDowncast(node, to: Core.self).settle(future.core.stored)
                return nil
            }
            return Adoption(future.core, forward)
        }
    }

    /// Passes a result on.
    @inlinable static var forward: FutureCore.Step {
        { source, node in
            unsafeDowncast(node, to: Core.self).settle(unsafeDowncast(source, to: Core.self).stored)
            return nil
        }
    }
}
