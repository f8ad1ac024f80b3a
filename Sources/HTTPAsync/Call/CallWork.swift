import HTTPCore

/// The work of a call, and its outcome where it was not done.
protocol CallWork: Sendable {
    associatedtype Value: Sendable

    /// Does the work; blocks this thread.
    func run() -> Result<Value, HTTPError>

    func record(_ phase: CallActivity) -> CallRecord

    /// Its host; nil where that is unknown. Computed on demand, so that the frame of a waiting task does not hold it.
    var host: CallHost? { get }

    /// Drives it through policies or a suspending closure, if there are any.
    var driver: (any CallDriver)? { get }

    /// Starts the driver of `call`; false if there is none.
    static func drive(_ call: Call<Self>, priority: Dispatcher.Priority) -> Bool

    /// The outcome of a call that first had this wait.
    static func insert(_ wait: CallWait, into outcome: Result<Value, HTTPError>) -> Result<Value, HTTPError>

    /// The agent that can make it; nil for work that needs a thread of its own.
    var agent: (any CallAgent)? { get }

    /// Submits `call` to its agent; true if that needs a thread.
    static func submit(_ call: Call<Self>, to agent: any CallAgent) -> Bool
}

extension CallWork {
    var driver: (any CallDriver)? { nil }

    static func drive(_ call: Call<Self>, priority: Dispatcher.Priority) -> Bool { false }

    var agent: (any CallAgent)? { nil }

    static func submit(_ call: Call<Self>, to agent: any CallAgent) -> Bool { false }

    static func insert(_ wait: CallWait, into outcome: Result<Value, HTTPError>) -> Result<Value, HTTPError> {
        outcome.mapError { $0.inserting(wait) }
    }
}

/// One request. A type and not a closure, so that a call is a single object.
struct RequestWork: CallWork {
    let client: any HTTPClient
    let request: Request
    let driver: (any CallDriver)?
    let agent: (any CallAgent)?

    init(_ request: Request, _ client: any HTTPClient, driver: (any CallDriver)?) {
        self.client = client
        self.request = request
        self.driver = driver
        agent = driver == nil ? client.agent(for: request) : nil
    }

    func run() -> Result<Response, HTTPError> { client.executeRequest(request) }

    func record(_ phase: CallActivity) -> CallRecord { CallRecord(request, phase: phase) }

    var host: CallHost? { CallHost(request.origin) }

    static func drive(_ call: Call<RequestWork>, priority: Dispatcher.Priority) -> Bool {
        call.work.driver?.start(call, priority: priority) != nil
    }

    static func submit(_ call: Call<RequestWork>, to agent: any CallAgent) -> Bool { agent.submit(call) }

    static func insert(_ wait: CallWait, into outcome: Result<Response, HTTPError>) -> Result<Response, HTTPError> {
        outcome.inserting(wait)
    }
}

extension Call: SubmittedCall, LoopCall where Work == RequestWork {
    var request: Request { work.request }

    func finish(_ result: consuming Result<Response, HTTPError>) { leaveAgent(with: result) }
}

/// Any blocking work.
struct ClosureWork<Value: Sendable>: CallWork {
    /// As a Host header names it.
    let hostName: String?
    /// Its first request; nil where that is unknown.
    var request: Request?
    let body: @Sendable () -> Result<Value, HTTPError>

    func run() -> Result<Value, HTTPError> { body() }

    func record(_ phase: CallActivity) -> CallRecord {
        request.map { CallRecord($0, phase: phase) } ?? CallRecord(unsentTo: hostName, phase: phase)
    }

    var host: CallHost? { hostName.map { CallHost($0) } }
}
