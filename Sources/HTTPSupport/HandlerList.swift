/// Handlers, the oldest first.
package struct HandlerList {
    package typealias Handler = @Sendable () -> Void

    private var lastID: UInt64 = 0
    private var entries: [(id: UInt64, handler: Handler)] = []

    package init() {}

    package mutating func add(_ handler: @escaping Handler) -> UInt64 {
        lastID += 1
        entries.append((lastID, handler))
        return lastID
    }

    package mutating func remove(_ id: UInt64) -> Handler? {
        entries.firstIndex { $0.id == id }.map { entries.remove(at: $0).handler }
    }

    package mutating func removeAll() -> [Handler] {
        defer { entries = [] }
        return entries.map(\.handler)
    }
}
