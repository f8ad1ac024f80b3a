import HTTPSupport

/// Idle connections, last in, first out for each origin, and idle event loops. Any thread may call it.
final class CurlConnectionPool: Sendable {
    private struct Idle {
        var connections: IdlePool<ConnectionKey, CurlConnection>
        var loops: IdlePool<LoopKey, CurlEventLoop>

        mutating func removeExpired(at now: TimePoint) -> ([CurlConnection], [CurlEventLoop]) {
            (connections.removeExpired(at: now), loops.removeExpired(at: now))
        }
    }

    /// Any loop can serve any call.
    private enum LoopKey { case any }

    private let configuration: CurlConfiguration
    private let headerLists: CurlHeaderLists
    private let idle: Locked<Idle>
    /// Make agents end their loops if these are idle.
    private let leaves = Locked<[@Sendable () -> Void]>([])
    /// Held while idle connections are closed for lack of descriptors. That may take long, but does not come back here.
    private let closing = Locked(())

    init(_ configuration: CurlConfiguration) {
        self.configuration = configuration
        headerLists = CurlHeaderLists(userAgent: configuration.userAgent)
        let pool = configuration.pool
        idle = Locked(Idle(connections: IdlePool(pool), loops: IdlePool(pool, mostOfKey: .max)))
    }

    // Expired connections are released outside the lock, because releasing closes them.

    func checkOut(_ key: ConnectionKey, at now: TimePoint) throws(Unsupported) -> CurlConnection {
        let (expired, connection) = idle.withLock { ($0.removeExpired(at: now), $0.connections.take(key)) }
        withExtendedLifetime(expired) {}
        if let connection { return connection }
        return try made { () throws(Unsupported) in try CurlConnection(key, configuration, headerLists) }
    }

    /// Out of descriptors, the idle connections are closed first.
    private func made<Value>(_ make: () throws(Unsupported) -> Value) throws(Unsupported) -> Value {
        do { return try make() } catch {
            guard error == .noDescriptors, closeIdle() else { throw error }
            return try make()
        }
    }

    /// A forked child must not use a connection of its parent, nor this pool. One that lacked a descriptor is not open, and
    /// gives back those that it has. One whose transfer is spent is not kept.
    func checkIn(_ connection: CurlConnection, at now: TimePoint) {
        let transfer = connection.transfer
        guard !transfer.isOfAncestor, !transfer.isSpent, !transfer.exchange.connection.isOutOfDescriptors else {
            return
        }
        let surplus = idle.withLock { $0.connections.put(connection, under: connection.key, at: now) }
        withExtendedLifetime(surplus) {}
    }

    /// `leave` makes an agent end an idle loop; it waits for that, but not for long.
    func noteAgent(_ leave: @escaping @Sendable () -> Void) { leaves.withLock { $0.append(leave) } }

    /// Closes all idle connections. Returns whether there are descriptors now.
    func closeIdle() -> Bool {
        for leave in leaves.withLock(\.self) { leave() }
        // One thread at a time: another would find nothing left to close, and give up before the descriptors are free.
        return closing.withLock { _ in
            withExtendedLifetime(idle.withLock { ($0.connections.removeAll(), $0.loops.removeAll()) }) {}
            return !SystemCall.isOutOfDescriptors()
        }
    }

    /// The most recently used event loop, or a new one.
    func checkOutLoop(at now: TimePoint) throws(Unsupported) -> CurlEventLoop {
        // The connections of an expired loop have expired, too.
        let (expired, loop) = idle.withLock { ($0.removeExpired(at: now), $0.loops.take(.any)) }
        withExtendedLifetime(expired) {}
        if let loop { return loop }
        let new = try made { () throws(Unsupported) in try CurlEventLoop(configuration, headerLists) }
        new.closeOtherIdle = { [weak self] in self?.closeIdle() ?? false }
        return new
    }

    func checkIn(_ loop: CurlEventLoop) {
        guard !loop.multi.isOfAncestor else { return }
        let now = TimePoint.now
        let weight = max(1, loop.connections.weight)
        let surplus = idle.withLock { $0.loops.put(loop, weight: weight, under: .any, at: now) }
        withExtendedLifetime(surplus) {}
    }
}
