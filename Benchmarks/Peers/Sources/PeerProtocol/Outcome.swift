import Synchronization

/// A place where one thread leaves a result for another.
public final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>>(.failure(PeerFailure("there is no result")))

    public init() {}

    public func set(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }

    public func get() throws -> Value { try result.withLock { $0 }.get() }
}
