import HTTPCore

/// What a call does, and what can be said of it when it did not get that far.
protocol CallWork: Sendable {
    associatedtype Value: Sendable

    /// Blocks this thread until it is done.
    func run() -> Result<Value, HTTPError>

    func record(_ phase: CallPhase) -> CallRecord

    /// Where it goes; nil where that is unknown. Made when it is asked for: a task that waits would have to have room for
    /// it.
    var host: CallHost? { get }

    /// What takes it to its outcome, if policies or a closure that suspends are around it.
    var driver: (any CallDriver)? { get }

    /// Has the driver of `call` begin: false without.
    static func drive(_ call: Call<Self>, priority: Dispatcher.Priority) -> Bool

    /// The outcome of a call that waited for `duration` before.
    static func insertWait(
        _ duration: Duration, _ cause: CallWait.Cause, into outcome: Result<Value, HTTPError>
    ) -> Result<Value, HTTPError>

    /// Where it can be made together with others; nil for what needs a thread of its own.
    var feed: (any CallFeed)? { get }

    /// Hands `call` to its feed: true when that needs a thread.
    static func feed(_ call: Call<Self>, to feed: any CallFeed) -> Bool
}

extension CallWork {
    var driver: (any CallDriver)? { nil }

    static func drive(_ call: Call<Self>, priority: Dispatcher.Priority) -> Bool { false }

    var feed: (any CallFeed)? { nil }

    static func feed(_ call: Call<Self>, to feed: any CallFeed) -> Bool { false }

    static func insertWait(
        _ duration: Duration, _ cause: CallWait.Cause, into outcome: Result<Value, HTTPError>
    ) -> Result<Value, HTTPError> { outcome.mapError { $0.insertingWait(duration, cause) } }
}

/// One request. A type of its own, not a closure, so that a call is one object with all it needs.
struct RequestWork: CallWork {
    let client: any HTTPClient
    let request: Request
    var driver: (any CallDriver)?

    func run() -> Result<Response, HTTPError> { client.executeRequest(request) }

    func record(_ phase: CallPhase) -> CallRecord { CallRecord(request, phase: phase) }

    var host: CallHost? { CallHost(request.origin) }

    static func drive(_ call: Call<RequestWork>, priority: Dispatcher.Priority) -> Bool {
        call.work.driver?.start(call, priority: priority) != nil
    }

    var feed: (any CallFeed)? { driver == nil ? client.feed(for: request) : nil }

    static func feed(_ call: Call<RequestWork>, to feed: any CallFeed) -> Bool { feed.submit(call) }

    static func insertWait(
        _ duration: Duration, _ cause: CallWait.Cause, into outcome: Result<Response, HTTPError>
    ) -> Result<Response, HTTPError> { outcome.insertingWait(duration, cause) }
}

extension Call: SubmittedCall, LoopCall where Work == RequestWork {
    var request: Request { work.request }

    func finish(_ result: consuming Result<Response, HTTPError>) { leaveFeed(with: result) }
}

/// Any blocking work.
struct ClosureWork<Value: Sendable>: CallWork {
    /// As a Host header names it.
    let hostName: String?
    let body: @Sendable () -> Result<Value, HTTPError>

    func run() -> Result<Value, HTTPError> { body() }

    func record(_ phase: CallPhase) -> CallRecord { CallRecord(unsentTo: hostName, phase: phase) }

    var host: CallHost? { hostName.map { CallHost($0) } }
}
