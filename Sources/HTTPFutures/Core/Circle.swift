/// Where a promise was made. It is a source of the promise's future beside the one that the promise follows, and
/// supplies nothing.
@usableFromInline
final class PromisePlace: Node {
    let file: StaticString
    let line: Int

    init(_ file: StaticString, _ line: Int) { (self.file, self.line) = (file, line) }

    @usableFromInline func lose(_ ticket: UInt64?) -> Upstream { .nothing }
    @usableFromInline func stopWaiting(for node: any Node) -> UInt64? { nil }
    @usableFromInline func wait(for upstream: Upstream) {}
    @usableFromInline var sources: Upstream { .nothing }
    @usableFromInline var hasDependents: Bool { false }
    @usableFromInline func end(inCircleOf promises: [PromisePlace]) -> Bool { false }
}

/// Futures of which each waits for the next, and the last for the first: none would ever end.
enum Circle {
    /// The largest number of futures that are looked at, so that following the end of a long chain takes no longer.
    private static let limit = 1000

    /// Fails the futures of the circle that `node` has closed by waiting for `source`, if it has.
    ///
    /// Called after `node` has been registered with `source`: of two threads that close a circle together, the later
    /// one finds it.
    static func end(_ node: any Node, waitingFor source: any Node) {
        // A new future at the end of a chain is in no circle: nothing waits for it yet.
        guard node.hasDependents else { return }
        if case .nothing = source.sources { return }
        // Twice, because the futures are looked at one after the other: a real circle stays.
        guard path(from: source, to: node) != nil, let path = path(from: source, to: node) else { return }
        let places = path.flatMap { $0.sources.sources.compactMap { $0.node as? PromisePlace } }
        for node in path where node.end(inCircleOf: places) { return }
    }

    /// The futures by which `start` waits for `end`, beginning with `end`; nil if it does not.
    private static func path(from start: any Node, to end: any Node) -> [any Node]? {
        var found: [(node: any Node, dependent: Int?)] = [(start, nil)]
        var known: Set<ObjectIdentifier> = []
        var index = 0
        while index < found.count, found.count <= limit {
            for source in found[index].node.sources.sources {
                if source.node === end {
                    return [end] + sequence(first: index) { found[$0].dependent }.reversed().map { found[$0].node }
                }
                if known.insert(ObjectIdentifier(source.node)).inserted { found.append((source.node, index)) }
            }
            index += 1
        }
        return nil
    }
}

extension FutureCore {
    @usableFromInline func end(inCircleOf promises: [PromisePlace]) -> Bool {
        guard let type = Failure.self as? any FutureFailure.Type else { return false }
        let places = promises.map { (file: "\($0.file)", line: $0.line) }
        // Without a promise in it, a step has returned a future that depends on that step.
        guard let failure = (places.isEmpty ? type.cancelled : type.circularWait(of: places)) as? Failure else {
            return false
        }
        settle(.failure(failure))
        return true
    }
}
