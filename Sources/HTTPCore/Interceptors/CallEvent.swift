import Synchronization

/// What happened to a call.
public enum CallEvent: Sendable {
    /// The call begins. `id` is the same in the event that ends it.
    case started(Request, id: CallID)
    /// With what it came to and how long it took. `id` is the one that it was started with.
    case finished(Request, Result<Response, HTTPError>, Duration, id: CallID)
}

/// Tells the calls of one observer apart, of which there may be several at once.
public struct CallID: Sendable, Hashable, CustomStringConvertible {
    /// 1 for the first call, and one more for each that follows.
    public let number: UInt64

    public var description: String { "#\(number)" }
}

/// Numbers the calls of an observer. Any thread may ask.
final class CallCounter: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> CallID { CallID(number: last.add(1, ordering: .relaxed).newValue) }
}
