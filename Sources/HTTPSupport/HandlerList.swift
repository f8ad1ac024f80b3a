/// Handlers, the oldest first. Thousands of calls under one token do not move one another's.
package struct HandlerList: Sendable {
    package typealias Handler = @Sendable () -> Void

    private var lastID: UInt64 = 0
    private var handlers: [UInt64: Handler] = [:]

    package init() {}

    package var count: Int { handlers.count }

    package mutating func add(_ handler: @escaping Handler) -> UInt64 {
        lastID += 1
        handlers[lastID] = handler
        return lastID
    }

    package mutating func remove(_ id: UInt64) -> Handler? { handlers.removeValue(forKey: id) }

    package mutating func removeAll() -> [Handler] {
        defer { handlers = [:] }
        return handlers.sorted { $0.key < $1.key }.map(\.value)
    }
}
