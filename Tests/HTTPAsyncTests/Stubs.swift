import HTTPSupport
import Foundation
import HTTPAsync
import HTTPCore
import HTTPTesting
import Testing

/// Answers once the gate is open, and reports the arrival of calls. It ignores cancellation.
struct GatedClient: HTTPClient {
    let arrived = Event()
    let gate = Event()
    let served = Locked<[String]>([])

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        served.withLock { $0.append(request.url.target) }
        arrived.signal()
        gate.block()
        return .success(Response(request: request, status: .ok))
    }
}

extension HTTPClient {
    /// The error of an awaited call; nil if it was answered.
    func failure(_ draft: MutableRequest, on dispatcher: Dispatcher = .shared) async -> HTTPError? {
        do throws(HTTPError) {
            _ = try await send(draft, on: dispatcher)
            return nil
        } catch { return error }
    }
}

/// Waits to be cancelled, like a transport whose server is silent.
struct PatientClient: HTTPClient {
    let arrived = Event()

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let cancelled = Event()
        let registration = CancellationToken.current?.onCancel { cancelled.signal() }
        defer { registration?.remove() }
        arrived.signal()
        cancelled.block()
        return .failure(.cancelled(CallRecord(request, phase: .waiting)))
    }
}

extension StubClient {
    static let ok = StubClient { .success(Response(request: $0, status: .ok)) }
}

extension Dispatcher {
    static func limited(to running: Int, perHost: Int = 1_000, queued: Int = 10_000) -> Dispatcher {
        Dispatcher(
            Configuration(running: running, runningPerHost: perHost, queued: queued, idleTime: .milliseconds(50)))
    }

    /// Takes a slot, until `gate` opens.
    func occupySlot(until gate: Event) async {
        let begun = Event()
        submit({ () -> Result<Void, HTTPError> in
            begun.signal()
            gate.block()
            return .success(())
        }) { _ in }
        await begun.happened()
    }
}

/// Blocking work must not run on the threads of tests.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: work()) }.start()
    }
}

extension Result {
    var value: Success? { try? get() }
}
