/// A future, whatever its type: as what another one waits for, and as what waits for another one.
@usableFromInline
protocol Node: AnyObject, Sendable {
    /// One who waited does not want the result; with a ticket, its step is not to run either. Returns what in consequence
    /// this future does not want.
    func lose(_ ticket: UInt64?) -> Upstream

    /// Stops waiting for `node`, without telling that. Returns its ticket there; nil if it does not wait for that alone.
    func letGo(of node: any Node) -> UInt64?

    /// Waits for `upstream`, where it has waited for nothing; or leaves that at once, if it has ended.
    func wait(for upstream: Upstream)
}

/// What a future waits for. They refer to each other until either ends: and every future does end, for a promise that goes
/// away fails its future.
@usableFromInline
enum Upstream: Sendable {
    case nothing
    case one(Source)
    case several([Source])

    @usableFromInline struct Source: Sendable {
        @usableFromInline let node: any Node
        /// Names the place in its list; nil if the step there is to run in any case.
        @usableFromInline let ticket: UInt64?

        @inlinable init(_ node: any Node, _ ticket: UInt64?) { (self.node, self.ticket) = (node, ticket) }
    }

    private var sources: [Source] {
        switch self {
        case .nothing: []
        case .one(let source): [source]
        case .several(let sources): sources
        }
    }

    var keepingSteps: Upstream { .several(sources.map { Source($0.node, nil) }) }

    /// Tells the sources that they are not needed here. One whose last dependent has left is cancelled, and leaves its own
    /// sources in turn. A loop, for chains are long.
    func withdraw() {
        var left = sources
        while !left.isEmpty { left = left.flatMap { $0.node.lose($0.ticket).sources } }
    }
}
