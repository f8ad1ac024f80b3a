import HTTPCore

/// Receives the outcome of an exchange of a call with policies.
protocol OutcomeReceiver<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    func take(_ outcome: consuming Result<Value, HTTPError>)
}

/// The receiver of the outcome of a call, which reports it.
enum Completion<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, HTTPError>

    /// Takes the outcome out of the call once it is resumed.
    case task(UnsafeContinuation<Void, Never>)
    case callback(CallbackQueue, @Sendable (Outcome) -> Void)
    case driver(any OutcomeReceiver<Value>)

    /// Whether reporting runs none of the caller's code on this thread.
    var isPrompt: Bool {
        switch self {
        case .task, .driver: true
        case .callback(let queue, _): !queue.isImmediate
        }
    }
}
