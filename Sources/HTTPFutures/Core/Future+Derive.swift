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
        guard let queue else {
            if core.isQuiet, Trampoline.isIdle, let result = core.stored.result {
                var outcome: Outcome<NewValue, NewFailure>?
                Trampoline.perform { outcome = Derived.run(result, core.budget, starts, work) }
                switch outcome {
                case .settled(let result): return Derived(Slot(result), budget: core.budget)
                case .pending(let inner): return Derived(following: inner, budget: core.budget)
                case nil: break
                }
            }
            return attached { source, node in
                guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return nil }
                return Derived.finish(node, Derived.run(result, node.budget, starts, work))
            }
        }
        return attached { source, node in
            source.hop(to: queue, node) { source, node in
                guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return nil }
                return Derived.finish(node, Derived.run(result, node.budget, starts, work))
            }
            return nil
        }
    }

    @inlinable @inline(__always)
    static func run<OldValue, OldFailure>(
        _ result: Result<OldValue, OldFailure>, _ budget: Budget?, _ starts: WorkStart,
        _ work: (Result<OldValue, OldFailure>) -> Outcome<Value, Failure>
    ) -> Outcome<Value, Failure> {
        guard let budget else { return work(result) }
        return budget.run(result, starts: starts, work)
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
