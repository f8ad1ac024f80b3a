import HTTPCore

/// What a call does, and what can be said of it when it did not get that far.
protocol CallWork: Sendable {
    associatedtype Value: Sendable

    /// Blocks this thread until it is done.
    func run() -> Result<Value, HTTPError>

    func record(_ phase: CallPhase) -> CallRecord
}

/// One request. A type of its own, not a closure, so that a call is one object with all it needs.
struct RequestWork: CallWork {
    let client: any HTTPClient
    let request: Request

    func run() -> Result<Response, HTTPError> { client.executeRequest(request) }

    func record(_ phase: CallPhase) -> CallRecord { CallRecord(request, phase: phase) }
}

/// Any blocking work.
struct ClosureWork<Value: Sendable>: CallWork {
    let host: String?
    let body: @Sendable () -> Result<Value, HTTPError>

    func run() -> Result<Value, HTTPError> { body() }

    func record(_ phase: CallPhase) -> CallRecord { CallRecord(unsentTo: host, phase: phase) }
}
