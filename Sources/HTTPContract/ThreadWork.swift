import HTTPCore
import HTTPSupport
import HTTPTesting

/// Part of a case on its own thread.
struct ThreadWork<Value: Sendable>: Sendable {
    private let outcome = Locked<Result<Value, any Error>?>(nil)
    private let thread: TestThread

    init(_ work: @escaping @Sendable () throws -> Value) {
        thread = TestThread { [outcome] in
            let result = Result { try work() }
            outcome.withLock { $0 = result }
        }
    }

    /// Waits for its end; returns its value or throws its error.
    @discardableResult
    func finish() throws -> Value {
        thread.join()
        guard let result = outcome.withLock({ $0 }) else { throw ContractViolation("a thread", "none available") }
        return try result.get()
    }
}

/// A call on its own thread.
struct ConcurrentCall: Sendable {
    private let started = Signal()
    private let work: ThreadWork<Result<Response, HTTPError>>

    /// Starts the call.
    init(_ client: any HTTPClient, _ draft: MutableRequest, under token: CancellationToken? = nil) {
        work = ThreadWork { [started] in
            started.fire()
            return token.map { $0.run { client.executeRequest(draft) } } ?? client.executeRequest(draft)
        }
    }

    /// Waits until the thread runs and is about to make the call.
    func waitForStart() { _ = started.wait(until: .now + .seconds(10)) }

    /// Waits for the end of the call.
    func result() throws -> Result<Response, HTTPError> { try work.finish() }
}
