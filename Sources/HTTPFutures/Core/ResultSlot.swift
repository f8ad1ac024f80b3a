/// Where a future keeps its result.
@usableFromInline
protocol ResultSlot: Sendable {
    /// The result of a cancelled future; nil if its error type has no such error.
    static var cancelled: Self? { get }
}

@usableFromInline
enum Slot<Value: Sendable, Failure: Error>: ResultSlot {
    case pending
    case success(Value)
    case failure(Failure)

    @inlinable
    init(_ result: Result<Value, Failure>) {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let failure): self = .failure(failure)
        }
    }

    @inlinable var result: Result<Value, Failure>? {
        switch self {
        case .pending: nil
        case .success(let value): .success(value)
        case .failure(let failure): .failure(failure)
        }
    }

    @usableFromInline static var cancelled: Self? { cancellation.map(Self.failure) }

    @usableFromInline static var cancellation: Failure? {
        (Failure.self as? any FutureFailure.Type)?.cancelled as? Failure
    }

    /// The error of a future that ran out of time, if there is one.
    static func timeout(after limit: Duration) -> Failure? {
        (Failure.self as? any FutureFailure.Type)?.timedOut(after: limit) as? Failure
    }
}
