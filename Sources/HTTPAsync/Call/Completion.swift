import HTTPCore

/// Who is told the outcome of a call. It is the call that tells it.
enum Completion<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, HTTPError>

    /// Which takes the outcome out of the call once it is resumed.
    case task(UnsafeContinuation<Void, Never>)
    case callback(CallbackQueue, @Sendable (Outcome) -> Void)
    case inbox(ResultQueue<Outcome>, place: Int)
    /// For the exchange of a call that has policies around it.
    case driver(@Sendable (Outcome) -> Void)

    /// Whether telling runs none of the caller's code on this thread.
    var isPrompt: Bool {
        switch self {
        case .task, .inbox, .driver: true
        case .callback(let queue, _): !queue.isImmediate
        }
    }
}
