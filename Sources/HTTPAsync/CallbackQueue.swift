public import Dispatch

/// Where a callback runs.
public struct CallbackQueue: Sendable {
    private enum Place: Sendable {
        case immediate
        case queue(DispatchQueue)
    }

    private let place: Place

    /// On the thread that has the result, at once. For callbacks that are short and take no lock the caller holds.
    public static let immediate = CallbackQueue(place: .immediate)

    /// On the main queue.
    public static let main = CallbackQueue.queue(.main)

    /// On `queue`, one block for each callback.
    public static func queue(_ queue: DispatchQueue) -> CallbackQueue { CallbackQueue(place: .queue(queue)) }

    var isImmediate: Bool {
        if case .immediate = place { true } else { false }
    }

    /// Runs `callback` there: before this returns for `.immediate`, later for a queue.
    public func run(_ callback: @escaping @Sendable () -> Void) {
        switch place {
        case .immediate: callback()
        case .queue(let queue): queue.async(execute: callback)
        }
    }
}
