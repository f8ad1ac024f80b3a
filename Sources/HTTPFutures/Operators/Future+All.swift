extension Future {
    /// All values, in the order of `futures`; or the first failure to come, and then the rest are cancelled, where nothing
    /// else needs them.
    @inlinable
    public static func all<Element>(_ futures: [Future<Element, Failure>]) -> Future where Value == [Element] {
        guard !futures.isEmpty else { return .success([]) }
        let all = Core(.pending)
        let join = AllJoin(futures, all)
        // A closure over one object alone is none to allocate, and reads that without a retain.
        let node = JoinCore { source, _ in
            join.arrive(unsafeDowncast(source, to: Future<Element, Failure>.Core.self))
            return .over
        }
        futures.withUnsafeBytes { node.wait(for: $0, until: all) }
        all.whenOver { _ in join.dismiss(node) }
        return Future(core: all)
    }
}

/// Where the futures of an `all` are counted. Apart from the future that they make, so that a handle of that keeps none of
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

    /// When `all` has ended: those still pending are not needed here.
    @inlinable
    func dismiss(_ node: JoinCore) {
        // After the last has arrived there is nothing to leave.
        guard !countdown.isOver, node.claim() else { return }
        for future in futures where future.isPending { FutureCore.withdraw(from: future.core) }
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
