import HTTPCore
import HTTPSupport
import HTTPTesting

/// A call on its own thread.
struct ConcurrentCall: Sendable {
    private let started = Signal()
    private let outcome = Locked<Result<Response, HTTPError>?>(nil)
    private let thread: TestThread

    /// Starts the call.
    init(_ client: any HTTPClient, _ draft: MutableRequest, under token: CancellationToken? = nil) {
        thread = TestThread { [started, outcome] in
            started.fire()
            let result =
                token.map { $0.run { client.executeRequest(draft) } } ?? client.executeRequest(draft)
            outcome.withLock { $0 = result }
        }
    }

    /// Waits until the thread runs and is about to make the call.
    func waitForStart() { _ = started.wait(until: .now + .seconds(10)) }

    /// Waits for the end of the call.
    func result() throws(ContractViolation) -> Result<Response, HTTPError> {
        thread.join()
        guard let result = outcome.withLock({ $0 }) else { throw ContractViolation("a thread", "none to be had") }
        return result
    }
}
