/// Where an event loop that makes a batch has its calls from. It is used on the thread of the loop alone.
package protocol CallSource: AnyObject {
    /// How many calls may be under way at once.
    var mostActive: Int { get }
    /// Each may end some of the calls.
    var tokens: [CancellationToken] { get }
    /// Whether no call will come any more.
    var isOver: Bool { get }
    /// When to ask for one though nothing has happened; nil for no such time.
    var nextDue: TimePoint? { get }

    /// The next call to start beside as many others; nil where there is none at present.
    func next(active: Int) -> SourcedCall?

    /// Runs `body`, in which the loop makes the calls. Until then `wake` has it ask again, from any thread.
    func run(wake: @escaping @Sendable () -> Void, _ body: () -> Void)

    /// There is no loop: all calls that are not over end so.
    func fail(_ error: (Request) -> HTTPError)
}

/// A call for an event loop to start, and who is told what it came to.
package struct SourcedCall {
    package let request: Request
    /// The one around the call, beside the request's own timeout.
    package let deadline: CallDeadline?
    package let owner: any LoopCall
}
