/// A future of any type, as a source or as a dependent.
@usableFromInline
protocol Node: AnyObject, Sendable {
    /// A dependent does not want the result; with a ticket, its step must not run either. Returns the sources that this
    /// future then no longer wants.
    func lose(_ ticket: UInt64?) -> Upstream

    /// Stops waiting for `node` without notifying it. Returns the ticket there; nil if `node` is not its only source.
    func stopWaiting(for node: any Node) -> UInt64?

    /// Waits for `upstream` as its first source, or leaves it at once if this future has ended.
    func wait(for upstream: Upstream)

    /// What it waits for at the moment.
    var sources: Upstream { get }

    /// Whether anything has waited for it.
    var hasDependents: Bool { get }

    /// Ends it, because it waits for itself; false if its error type cannot express that.
    func end(inCircleOf promises: [PromisePlace]) -> Bool
}

/// The sources of a future. The two refer to each other until either ends; every future ends, because dropping its
/// promise fails it.
@usableFromInline
enum Upstream: Sendable {
    case nothing
    case one(Source)
    case several([Source])

    @usableFromInline struct Source: Sendable {
        @usableFromInline let node: any Node
        /// The position in the list of the source; nil if the step there must run in any case.
        @usableFromInline let ticket: UInt64?

        @inlinable init(_ node: any Node, _ ticket: UInt64?) { (self.node, self.ticket) = (node, ticket) }
    }

    var sources: [Source] {
        switch self {
        case .nothing: []
        case .one(let source): [source]
        case .several(let sources): sources
        }
    }

    var keepingSteps: Upstream { .several(sources.map { Source($0.node, nil) }) }

    /// Removes this dependent from the sources. One that loses its last dependent is cancelled and leaves its own
    /// sources in turn. A loop, because chains are long.
    func withdraw() {
        var left = sources
        while !left.isEmpty { left = left.flatMap { $0.node.lose($0.ticket).sources } }
    }
}
