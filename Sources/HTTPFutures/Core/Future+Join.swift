extension Future {
    /// A future made of several: `arrived` is called with each that ends, until the joined one has ended. The others
    /// then lose this dependent, and are cancelled if it was their last.
    @inlinable static func joining<Element, ElementFailure>(
        _ futures: [Future<Element, ElementFailure>],
        _ arrived:
            @escaping @Sendable (_ result: Result<Element, ElementFailure>, _ joined: Core, _ budget: Budget?) -> Void
    ) -> Future {
        let joined = Core.make()
        let sources = futures.map { $0.source(of: joined, arrived) }
        joined.wait(for: .several(sources))
        return Future(core: joined)
    }

    /// Attaches `arrived` on behalf of `joined`.
    @inlinable func source<NewValue, NewFailure>(
        of joined: FutureCore<NewValue, NewFailure>,
        _ arrived: @escaping @Sendable (Result<Value, Failure>, FutureCore<NewValue, NewFailure>, Budget?) -> Void
    ) -> Upstream.Source {
        let waiter = Waiter<Result<Value, Failure>> { result, _, budget in arrived(result, joined, budget) }
        return Upstream.Source(core, core.attach(waiter, isDependent: true))
    }
}
