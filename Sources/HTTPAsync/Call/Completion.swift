import HTTPCore

/// Who is told the outcome of a call.
enum Completion<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, HTTPError>

    case task(UnsafeContinuation<Settled<Value>, Never>)
    case callback(CallbackQueue, @Sendable (Outcome) -> Void)
    case inbox(BatchInbox<Outcome>, place: Int)

    /// Whether telling runs none of the caller's code on this thread.
    var isPrompt: Bool {
        switch self {
        case .task, .inbox: true
        case .callback(let queue, _): !queue.isImmediate
        }
    }

    func tell(_ outcome: Outcome) {
        switch self {
        case .task(let continuation): continuation.resume(returning: Settled(outcome))
        case .callback(let queue, let callback): queue.run { callback(outcome) }
        case .inbox(let inbox, let place): inbox.put(outcome, at: place)
        }
    }
}

/// The outcome of a call that a task awaits. An object: room for the outcome itself would lie in the task, in several
/// places, for as long as the call takes.
final class Settled<Value: Sendable>: Sendable {
    private let outcome: Result<Value, HTTPError>

    init(_ outcome: Result<Value, HTTPError>) { self.outcome = outcome }

    // Not made part of the task's function, which would have to have room for copies.
    @inline(never) func get() throws(HTTPError) -> Value { try outcome.get() }
}
