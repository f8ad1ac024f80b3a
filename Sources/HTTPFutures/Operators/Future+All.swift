extension Future {
    /// All values, in the order of `futures`; or the first failure to come, and then the rest are cancelled, where nothing
    /// else needs them.
    @inlinable
    public static func all<Element>(_ futures: [Future<Element, Failure>]) -> Future where Value == [Element] {
        guard !futures.isEmpty else { return .success([]) }
        let all = Core(.pending)
        let join = AllJoin(futures, all)
        let links = futures.map { future in
            let link = JoinLink(join) { source, link in
                unsafeDowncast(unsafeDowncast(link, to: JoinLink.self).join, to: AllJoin<Element, Failure>.self)
                    .arrive(unsafeDowncast(source, to: Future<Element, Failure>.Core.self))
                return .over
            }
            link.wait(on: future.core)
            return link
        }
        all.leave(links, unlessOver: join.countdown)
        for index in links.indices where !links[index].isClaimed { futures[index].core.attach(links[index]) }
        return Future(core: all)
    }
}

/// What the links of an `all` have in common. Apart from the future that they make, so that a handle of that keeps none of
/// the others.
@usableFromInline
final class AllJoin<Element: Sendable, Failure: Error>: Sendable {
    @usableFromInline typealias Core = Future<[Element], Failure>.Core

    @usableFromInline let futures: [Future<Element, Failure>]
    @usableFromInline let all: Core
    @usableFromInline let countdown: Countdown

    @inlinable
    init(_ futures: [Future<Element, Failure>], _ all: Core) {
        self.futures = futures
        self.all = all
        countdown = Countdown(futures.count)
    }

    /// To be told each that ends, once.
    @inlinable
    func arrive(_ source: Future<Element, Failure>.Core) {
        if case .failure(let failure) = source.stored { return _ = all.settle(.failure(failure)) }
        if countdown.arrive() { all.settle(.success(values)) }
    }

    /// In one piece, when all are there.
    @inlinable var values: [Element] {
        [Element](unsafeUninitializedCapacity: futures.count) { values, count in
            for future in futures {
                guard case .success(let value) = future.core.stored else { continue }
                values.initializeElement(at: count, to: value)
                count += 1
            }
        }
    }
}
