public import Dispatch

/// Where a callback runs.
public struct CallbackQueue: Sendable {
    private enum Target: Sendable {
        case immediate
        case queue(DispatchQueue)
    }

    private let target: Target

    /// At once, on the thread that has the result. For callbacks that are short and take no lock that the caller holds.
    ///
    /// Callbacks of calls that a transport makes on one thread run in the order in which the calls ended, one at a time;
    /// one that takes longer than a few milliseconds does not delay the next.
    public static let immediate = CallbackQueue(target: .immediate)

    /// On the main queue.
    public static let main = CallbackQueue.queue(.main)

    /// On `queue`, as one block.
    public static func queue(_ queue: DispatchQueue) -> CallbackQueue { CallbackQueue(target: .queue(queue)) }

    var isImmediate: Bool {
        if case .immediate = target { true } else { false }
    }

    /// Runs `callback`: before this returns for `.immediate`, later for a queue.
    public func run(_ callback: @escaping @Sendable () -> Void) {
        switch target {
        case .immediate: callback()
        case .queue(let queue): queue.async(execute: callback)
        }
    }
}
