public import HTTPAsync

/// What a step came to: a result, or a future to take it from.
@usableFromInline
enum Outcome<Value: Sendable, Failure: Error> {
    case settled(Slot<Value, Failure>)
    case pending(Future<Value, Failure>)
}

extension Future {
    /// A future that ends with what `work` makes of this one's slot: the base of the operators. Nothing is stored if
    /// `work` can run at once.
    @inlinable @inline(__always)
    func derive<NewValue, NewFailure>(
        on queue: CallbackQueue?,
        _ work: @escaping @Sendable (Slot<Value, Failure>) -> Outcome<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        typealias Derived = Future<NewValue, NewFailure>
        guard let queue else {
            if core.isQuiet, Trampoline.isIdle {
                var slot = Slot<NewValue, NewFailure>.pending
                var inner: Derived?
                Trampoline.perform {
                    switch work(core.stored) {
                    case .settled(let settled): slot = settled
                    case .pending(let future): inner = future
                    }
                }
                guard let inner else { return Derived(slot, budget: core.budget) }
                return Derived(following: inner, budget: core.budget)
            }
            return attached { source, node in
                Derived.finish(node, work(unsafeDowncast(source, to: Core.self).stored))
            }
        }
        return attached { source, node in
            source.hop(to: queue, node) { source, node in
                Derived.finish(node, work(unsafeDowncast(source, to: Core.self).stored))
            }
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
        case .settled(let slot):
            unsafeDowncast(node, to: Core.self).settle(slot)
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
