import Foundation
import HTTPCore
import HTTPMockServer
import Synchronization

/// One fault on one engine, with a call of one style that ends in one way.
struct FaultCell: Sendable {
    let fault: Fault
    let expectation: Fault.Expectation
    let engine: FaultEngine
    let style: EntryStyle

    /// The result of the run.
    struct Verdict: Sendable {
        let outcome: String
        /// How long after its deadline or its cancellation the call ended; nil if it ended by itself.
        var overshoot: Duration?
        /// How long after its deadline or its cancellation the same call ended that waited for a slot; nil for none.
        var queuedOvershoot: Duration?
        /// The duration of a good call in the same batch; nil if there was none.
        var neighborTime: Duration?
        /// The deviation from the expectation; nil for none.
        var problem: String?
    }

    private static let total = Duration.milliseconds(200)
    private static let silence = Duration.milliseconds(150)
    /// The limit for a call that must end otherwise. No call needs that long.
    private static let patience = Duration.seconds(8)
    /// How many seconds after the end of a call its connection may stay open.
    private static let patienceWithClient = FaultMatrix.isExact ? 1.0 : 5.0
    /// How many seconds a fault has lasted when a call is cancelled.
    private static let beforeCancellation = 0.05

    /// A server without faults.
    private static let neighbor: MockServer = {
        do { return try MockServer(recording: .none) { _ in .text("ok") } } catch { fatalError("no server: \(error)") }
    }()

    /// Makes the call, on this thread and at most one more, and waits for its end.
    func run() throws -> Verdict {
        // Over URLSession a flood continues after the end of its call, on threads that all such calls share.
        if engine == .urlSession { _ = try engine.makeClient().executeRequest(.get(Self.neighbor.url("/"))) }
        let server = try FaultServer(fault, for: engine)
        var verdict = try makeCall(to: server)
        // The client is gone. If the server closed first, URLSession would see another fault.
        guard endIsSeen else { return verdict }
        let isOpen = server.progress.connections.wait(timeout: .now() + Self.patienceWithClient) == .timedOut
        if isOpen, verdict.problem == nil, engine != .urlSession {
            verdict.problem =
                "the connection was open \(Self.patienceWithClient) s after the call and its client had ended"
        }
        return verdict
    }

    /// Whether a server notices that its client has gone. One that does not read does not notice it.
    private var endIsSeen: Bool { fault.phase != .sending }

    private func makeCall(to server: FaultServer) throws -> Verdict {
        let client = try engine.makeClient()
        let request = try Request(limited(fault.change(.get("\(engine.scheme)://127.0.0.1:\(server.port)/"))))
        let ends = (own: FaultCallEnd(), neighbor: FaultCallEnd())
        let start = ContinuousClock.now
        let cancel = style.begin(
            request, over: client, beside: try Request(.get(Self.neighbor.url("/")) |> .timeout(Self.patience)),
            receive: ends.own.receive, receiveNeighbor: ends.neighbor.receive)
        let queued = waitsForSlot ? QueuedCall(request, over: client) : nil
        let hasNeighbor = style == .batch && engine != .urlSession
        // Cancelling ends the whole batch.
        let neighbor = hasNeighbor && expectation.ending == .cancellation ? ends.neighbor.wait() : nil
        let cancelled =
            expectation.ending == .cancellation
            ? cancelDuring(server) {
                cancel()
                queued?.cancel()
            } : nil
        guard let end = ends.own.wait() else {
            cancel()
            return Verdict(outcome: "none", problem: "it did not end within \(FaultCallEnd.patience)")
        }
        var verdict = judge(end.result)
        verdict.overshoot = due(start, cancelled).map { $0.duration(to: end.time) }
        if let queued, let due = due(start, cancelled) { judge(queued, due, &verdict) }
        // URLSession makes one call after the other, and shares its threads with a continuing flood.
        guard hasNeighbor else { return verdict }
        guard let neighbor = neighbor ?? ends.neighbor.wait(), case .success = neighbor.result else {
            verdict.problem = verdict.problem ?? "the good call in the same batch failed"
            return verdict
        }
        verdict.neighborTime = start.duration(to: neighbor.time)
        return verdict
    }

    /// Whether the call is made once more, without a slot: by one style for all.
    private var waitsForSlot: Bool {
        style == .awaited && (expectation.ending == .totalTimeout || expectation.ending == .cancellation)
    }

    private func judge(_ queued: QueuedCall, _ due: ContinuousClock.Instant, _ verdict: inout Verdict) {
        guard let (result, overshoot) = queued.wait(from: due) else {
            verdict.problem = verdict.problem ?? "\(queued.verb), which waits for a slot, did not end"
            return
        }
        verdict.queuedOvershoot = overshoot
        let outcome = FaultOutcome.errorMessage(for: result)
        let isRight = expectation.ending == .cancellation ? outcome == "cancelled" : outcome == "timedOut total"
        if !isRight {
            verdict.problem = verdict.problem ?? "\(queued.verb), which waits for a slot, came to \(outcome)"
        }
    }

    private func limited(_ draft: MutableRequest) -> MutableRequest {
        switch expectation.ending {
        case .own, .cancellation: draft |> .timeout(Self.patience)
        case .connectTimeout: draft |> .connectTimeout(Self.silence) |> .timeout(Self.patience)
        case .idleTimeout: draft |> .idleTimeout(Self.silence) |> .timeout(Self.patience)
        case .totalTimeout: draft |> .timeout(Self.total)
        }
    }

    /// When the call must end.
    private func due(_ start: ContinuousClock.Instant, _ cancelled: ContinuousClock.Instant?) -> ContinuousClock
        .Instant?
    {
        switch expectation.ending {
        case .own: nil
        case .connectTimeout, .idleTimeout: start + Self.silence
        case .totalTimeout: start + Self.total
        case .cancellation: cancelled
        }
    }

    private func cancelDuring(_ server: FaultServer, _ cancel: () -> Void) -> ContinuousClock.Instant {
        _ = server.progress.reached.wait(timeout: .now() + (fault.isMarked ? 2 : 0))
        Thread.sleep(forTimeInterval: Self.beforeCancellation)
        let time = ContinuousClock.now
        cancel()
        return time
    }

    private func judge(_ result: Result<Response, HTTPError>) -> Verdict {
        let outcome = FaultOutcome.errorMessage(for: result)
        guard !expectation.outcomes.contains(outcome) else { return Verdict(outcome: outcome) }
        let words = if case .failure(let error) = result { "\(error)" } else { "a response" }
        let expected = expectation.outcomes.sorted().joined(separator: " or ")
        return Verdict(outcome: outcome, problem: "expected \(expected), got \(outcome): \(words)")
    }
}

extension FaultCell: CustomStringConvertible {
    var description: String {
        "\(fault.testDescription) | \(expectation.ending.rawValue) | \(engine.rawValue) | \(style)"
    }
}

extension Fault {
    /// Whether a server reports that the fault has reached its point.
    fileprivate var isMarked: Bool {
        switch place {
        case .server, .socket: true
        case .notAccepted, .unusedPort, .unansweredPort: false
        }
    }
}

/// The end of a call, for a waiting thread.
final class FaultCallEnd: Sendable {
    static let patience = Duration.seconds(15)

    private let semaphore = DispatchSemaphore(value: 0)
    private let end = Mutex<(result: Result<Response, HTTPError>, time: ContinuousClock.Instant)?>(nil)

    func receive(_ result: Result<Response, HTTPError>) {
        let time = ContinuousClock.now
        end.withLock { $0 = (result, time) }
        semaphore.signal()
    }

    func wait() -> (result: Result<Response, HTTPError>, time: ContinuousClock.Instant)? {
        _ = semaphore.wait(timeout: .now() + Double(Self.patience.components.seconds))
        return end.withLock { $0 }
    }
}
