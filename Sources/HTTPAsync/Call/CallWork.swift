/// The work of a job, and its outcome where it was not done.
protocol CallWork: Sendable {
    associatedtype Value: Sendable

    /// Does the work; blocks this thread.
    func run() -> Result<Value, HTTPError>

    func record(_ phase: CallActivity) -> CallRecord

    /// Its host; nil where that is unknown. Computed on demand, so that the frame of a waiting task does not hold it.
    var host: CallHost? { get }

    /// Drives it through policies or a suspending closure, if there are any.
    var driver: (any CallDriver)? { get }

    /// The agent that can make it; nil for work that needs a thread of its own.
    var agent: (any CallAgent)? { get }

    /// `job` for its driver or its agent; nil for work that has neither.
    static func request(_ job: Job<Self>) -> Job<RequestWork>?

    /// The outcome of a job that first had this wait.
    static func insert(_ wait: CallWait, into outcome: Result<Value, HTTPError>) -> Result<Value, HTTPError>
}

extension CallWork {
    var driver: (any CallDriver)? { nil }

    var agent: (any CallAgent)? { nil }

    static func request(_ job: Job<Self>) -> Job<RequestWork>? { nil }

    static func insert(_ wait: CallWait, into outcome: Result<Value, HTTPError>) -> Result<Value, HTTPError> {
        outcome.mapError { $0.inserting(wait) }
    }
}

/// One request. A type and not a closure, so that a job is a single object.
struct RequestWork: CallWork {
    let client: any HTTPClient
    let request: Request
    let driver: (any CallDriver)?
    let agent: (any CallAgent)?
    /// Of a client whose policies only a thread can drive. They are prepared with the values of the task that calls.
    private let prepared: (client: PolicyClient, policies: [any CallPolicy])?

    /// `engine`: `client`, if it has event loops. A request that runs the caller's code or waits for a disk has no use for
    /// them: it needs a thread of its own.
    init(
        _ request: Request, _ client: any HTTPClient, engine: @autoclosure () -> (any EventLoopClient)?,
        on dispatcher: Dispatcher
    ) {
        self.client = client
        self.request = request
        driver = dispatcher.driver(for: client)
        agent = driver == nil && request.needsNoThread ? engine()?.callAgent : nil
        let stack = driver == nil && type(of: client) == PolicyClient.self ? client as? PolicyClient : nil
        prepared = stack.map { ($0, $0.preparedPolicies()) }
    }

    func run() -> Result<Response, HTTPError> {
        prepared.map { $0.client.executeRequest(request, through: $0.policies) } ?? client.executeRequest(request)
    }

    func record(_ phase: CallActivity) -> CallRecord { CallRecord(request, phase: phase) }

    /// Not for a body that is read as it comes: that may last for hours.
    var host: CallHost? { request.destination.reader == nil ? CallHost(request.origin) : nil }

    static func request(_ job: Job<RequestWork>) -> Job<RequestWork>? { job }

    static func insert(_ wait: CallWait, into outcome: Result<Response, HTTPError>) -> Result<Response, HTTPError> {
        outcome.inserting(wait)
    }
}

extension Job: SubmittedCall, LoopCall where Work == RequestWork {
    var request: Request { work.request }
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
