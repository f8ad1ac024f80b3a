/// Handlers, the oldest first.
package struct HandlerList {
    package typealias Handler = @Sendable () -> Void

    private var lastID: UInt64 = 0
    /// By increasing identifiers. A removed handler leaves its place until such places are the majority, so that
    /// thousands of calls under one token do not move one another's handlers.
    private var entries: [(id: UInt64, handler: Handler?)] = []
    private var removedCount = 0

    package init() {}

    package mutating func add(_ handler: @escaping Handler) -> UInt64 {
        lastID += 1
        entries.append((lastID, handler))
        return lastID
    }

    package mutating func remove(_ id: UInt64) -> Handler? {
        guard let index = index(of: id), let handler = entries[index].handler.take() else { return nil }
        removedCount += 1
        if removedCount * 2 > entries.count {
            entries.removeAll { $0.handler == nil }
            removedCount = 0
        }
        return handler
    }

    package mutating func removeAll() -> [Handler] {
        defer { (entries, removedCount) = ([], 0) }
        return entries.compactMap(\.handler)
    }

    private func index(of id: UInt64) -> Int? {
        var range = entries.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let found = entries[middle].id
            if found == id { return middle }
            range = found < id ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}
