import HTTPSupport

/// The source of the calls of a batch. Used by the thread of the event loop alone.
package protocol CallSource: AnyObject {
    /// The largest number of concurrent calls.
    var mostActive: Int { get }
    /// Each may end some of the calls.
    var tokens: [CancellationToken] { get }
    /// Whether no call will come any more.
    var isOver: Bool { get }
    /// When to ask again even if nothing has happened; nil for never.
    var nextDue: TimePoint? { get }

    /// How many calls may still start, beside the `active` ones.
    func remaining(active: Int) -> Int

    /// The next call to start beside as many others; nil where there is none at present.
    func next(active: Int) -> SourcedCall?

    /// Runs `body`, in which the loop makes the calls. Meanwhile any thread may call `wake` to make it ask again.
    func run(wake: @escaping @Sendable () -> Void, _ body: () -> Void)

    /// Ends all unfinished calls with an error, because there is no loop.
    func fail(_ error: (Request) -> HTTPError)
}

/// A call for an event loop to start, and the receiver of its result.
package struct SourcedCall {
    package let request: Request
    /// The one around the call, beside the request's own timeout.
    package let deadline: CallDeadline?
    package let owner: any LoopCall
}
