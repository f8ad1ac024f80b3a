/// The writing end of a future.
///
/// The first resolution counts, from whichever thread; later ones do nothing. A promise that goes away unresolved fails
/// its future with `brokenPromise`, naming the place where it was made: so whoever waits always gets an answer.
///
/// Callbacks run on the resolving thread, before `resolve` returns, unless that thread is in a callback already.
public final class Promise<Value: Sendable, Failure: FutureFailure>: Sendable {
    @usableFromInline let core: Future<Value, Failure>.Core
    @usableFromInline let file: StaticString
    @usableFromInline let line: Int

    @inlinable
    public init(
        of value: Value.Type = Value.self, failure: Failure.Type = Failure.self, file: StaticString = #fileID,
        line: Int = #line
    ) {
        core = Future<Value, Failure>.Core(.pending, state: 0, budget: nil, step: nil)
        self.file = file
        self.line = line
    }

    @inlinable public var future: Future<Value, Failure> { Future(core: core) }

    @inlinable
    deinit {
        guard core.isOpen else { return }
        breakUp()
    }

    /// Apart, so that a promise that was kept pays nothing for it: not even the look-up of its types.
    @inline(never)
    @usableFromInline
    final func breakUp() { core.settle(.failure(.brokenPromise(file: "\(file)", line: line))) }

    /// Ends the future with `result`. False if it was resolved before, or cancelled.
    @discardableResult
    @inlinable
    public func resolve(_ result: Result<Value, Failure>) -> Bool {
        guard core.claimUnlessPledged() else { return false }
        // Without a look at what it waits for: that is nothing as long as it is not pledged.
        core.stored = Slot(result)
        core.publish()
        return true
    }

    @discardableResult
    @inlinable
    public func succeed(_ value: Value) -> Bool { resolve(.success(value)) }

    @discardableResult
    @inlinable
    public func fail(_ failure: Failure) -> Bool { resolve(.failure(failure)) }

    /// Ends the future as `other` ends. From now on the promise is resolved, though its future may still be pending.
    /// False, with nothing changed, if it was resolved before, or its future cancelled.
    ///
    /// A promise told to follow its own future, or one that waits for it, can never end, so that fails it as broken.
    @discardableResult
    public func follow(_ other: Future<Value, Failure>) -> Bool {
        guard core.pledge() else { return false }
        guard other.core !== core else {
            return core.settle(.failure(.brokenPromise(file: "\(file)", line: line)))
        }
        Trampoline.perform {
            var core: FutureCore = self.core
            let end = Future.finish(core, .pending(other))
            guard case .pending(let adoption) = end else { return FutureCore.conclude(&core, end) }
            FutureCore.adopt(&core, adoption) { [self] _ in
                _ = self.core.end(.failure(.brokenPromise(file: "\(file)", line: line)))
            }
        }
        return true
    }

    /// Has `handler` run, once, if the future ends from the reading side: cancelled, or no longer wanted by anyone. At
    /// once if it already has. Stop the work there. A handler must not hold the promise: it would keep it alive.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        core.attach(
            FutureCore { source, _ in
                if source.wasAbandoned { handler() }
                return .over
            })
    }
}
