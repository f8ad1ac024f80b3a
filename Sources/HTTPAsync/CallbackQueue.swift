public import Dispatch

/// Where a callback runs.
public struct CallbackQueue: Sendable {
    /// Nil for no queue.
    private let target: DispatchQueue?

    /// At once, on the thread that has the result. For callbacks that are short and take no lock that the caller holds.
    ///
    /// Callbacks of calls that a transport makes on one thread run in the order in which the calls ended, one at a time;
    /// one that takes long delays the next by 40 ms at most.
    public static let immediate = CallbackQueue(target: nil)

    /// On the main queue. An app serves it; in a program without a user interface `dispatchMain()` does, or a run loop.
    public static let main = CallbackQueue.queue(.main)

    /// On `queue`, as one block.
    public static func queue(_ queue: DispatchQueue) -> CallbackQueue { CallbackQueue(target: queue) }

    var isImmediate: Bool { target == nil }

    /// Runs `callback`: before this returns for `.immediate`, later for a queue.
    public func run(_ callback: @escaping @Sendable () -> Void) {
        if let target { target.async(execute: callback) } else { callback() }
    }
}
