import Foundation
import HTTPCore
import HTTPMockServer
import Synchronization

/// One fault on one engine, met by a call of one style that ends in one way.
struct FaultCell: Sendable {
    let fault: Fault
    let expectation: Fault.Expectation
    let engine: FaultEngine
    let style: EntryStyle

    /// What became of it.
    struct Verdict: Sendable {
        let outcome: String
        /// How long after its deadline or its cancellation the call ended; nil for one that ended by itself.
        var overshoot: Duration?
        /// How long a good call beside it, in the same batch, took; nil where there was none.
        var neighborTime: Duration?
        /// What is wrong with it; nil for nothing.
        var problem: String?
    }

    private static let total = Duration.milliseconds(200)
    private static let silence = Duration.milliseconds(150)
    /// For a call that is to end otherwise. No call needs so long.
    private static let patience = Duration.seconds(8)
    /// How many seconds after the end of a call its connection may still be open.
    private static let patienceWithClient = FaultMatrix.isExact ? 1.0 : 5.0
    /// How many seconds a fault has lasted when a call is cancelled.
    private static let beforeCancellation = 0.05

    /// A server with which nothing is wrong.
    private static let neighbor: MockServer = {
        do { return try MockServer(recording: .none) { _ in .text("ok") } } catch { fatalError("no server: \(error)") }
    }()

    /// Makes the call, on this thread and one more at most, and waits for its end.
    func run() throws -> Verdict {
        // A flood goes on after the end of its call over URLSession, on threads that all such calls share.
        if engine == .urlSession { _ = try engine.makeClient().get(Self.neighbor.url("/")) }
        let server = try FaultServer(fault, for: engine)
        var verdict = try makeCall(to: server)
        // The client is gone. A server that went first would have URLSession see one more fault.
        guard endIsSeen else { return verdict }
        let isOpen = server.progress.connections.wait(timeout: .now() + Self.patienceWithClient) == .timedOut
        if isOpen, verdict.problem == nil, engine != .urlSession {
            verdict.problem =
                "the connection was open \(Self.patienceWithClient) s after the call and its client had ended"
        }
        return verdict
    }

    /// Whether a server sees it when its client has gone. One that does not read sees nothing behind what it has not read.
    private var endIsSeen: Bool { fault.phase != .sending }

    private func makeCall(to server: FaultServer) throws -> Verdict {
        let client = try engine.makeClient()
        let request = try Request(limited(fault.change(engine.request("\(engine.scheme)://127.0.0.1:\(server.port)/"))))
        let ends = (own: FaultCallEnd(), neighbor: FaultCallEnd())
        let start = ContinuousClock.now
        let cancel = style.begin(
            request, over: client, beside: try Request(.get(Self.neighbor.url("/")) |> .timeout(Self.patience)),
            receive: ends.own.receive, receiveNeighbor: ends.neighbor.receive)
        let cancelled = expectation.ending == .cancellation ? cancelDuring(server, cancel) : nil
        guard let end = ends.own.wait() else {
            cancel()
            return Verdict(outcome: "none", problem: "it did not end within \(FaultCallEnd.patience)")
        }
        var verdict = judge(end.result)
        verdict.overshoot = due(start, cancelled).map { $0.duration(to: end.time) }
        // URLSession makes one call after the other, and shares its threads with a flood that goes on.
        guard style == .batch, engine != .urlSession else { return verdict }
        guard let neighbor = ends.neighbor.wait(), case .success = neighbor.result else {
            verdict.problem = verdict.problem ?? "the good call in the same batch failed"
            return verdict
        }
        verdict.neighborTime = start.duration(to: neighbor.time)
        return verdict
    }

    private func limited(_ draft: MutableRequest) -> MutableRequest {
        switch expectation.ending {
        case .own, .cancellation: draft |> .timeout(Self.patience)
        case .connectTimeout: draft |> .connectTimeout(Self.silence) |> .timeout(Self.patience)
        case .idleTimeout: draft |> .idleTimeout(Self.silence) |> .timeout(Self.patience)
        case .totalTimeout: draft |> .timeout(Self.total)
        }
    }

    /// When the call is to end.
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
    /// Whether a server says when the fault has come to its point.
    fileprivate var isMarked: Bool {
        switch place {
        case .server, .socket: true
        case .notAccepted, .unusedPort, .unansweredPort: false
        }
    }
}

/// The end of a call, which somebody waits for.
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
