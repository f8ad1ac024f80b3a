import HTTPTransfers
import Foundation
import HTTPAsync
import HTTPCore
import HTTPFutures
import HTTPTesting
import Synchronization

/// The call of a cell once more, on a dispatcher that has no slot for it, by a different verb from cell to cell: it must
/// end in time, too, and without having been sent.
struct QueuedCall: Sendable {
    /// A verb that waits for a slot.
    enum Verb: String, CaseIterable, Sendable {
        case send, future, callback, run, lines, chunks, events, head, download, downloadIfNewer, upload

        fileprivate func run(_ draft: MutableRequest, over client: any HTTPClient) async throws {
            let dispatcher = QueuedCall.dispatcher
            let path = { (name: String) in "\(QueuedCall.directory)/\(name)-\(UInt64.random(in: 0 ... .max))" }
            switch self {
            case .send: try await client.send(draft, on: dispatcher)
            case .future: _ = try await client.future(for: Request(draft), on: dispatcher).get()
            case .callback:
                let result = await withCheckedContinuation { continuation in
                    client.executeRequest(draft, callbackQueue: .immediate, on: dispatcher) {
                        continuation.resume(returning: $0)
                    }
                }
                _ = try result.get()
            case .run:
                _ = try await dispatcher.run(timeout: draft.timeouts.total) { client.executeRequest(draft) }
            case .lines: for try await _ in client.stream(draft, as: .lines, on: dispatcher) {}
            case .chunks: for try await _ in client.stream(draft, as: .chunks, on: dispatcher) {}
            case .events: for try await _ in client.stream(draft, as: .serverSentEvents, on: dispatcher) {}
            case .head: _ = try await client.stream(draft, as: .lines, on: dispatcher).response()
            case .download: _ = try await client.download(draft, to: path("file"), on: dispatcher)
            case .downloadIfNewer: _ = try await client.downloadIfNewer(draft, to: path("new"), on: dispatcher)
            case .upload: try await client.upload(draft, from: #filePath, on: dispatcher)
            }
        }
    }

    fileprivate static let directory = FileManager.default.temporaryDirectory.path
    private static let turn = Atomic(0)

    /// Its only slot is taken for good.
    fileprivate static let dispatcher: Dispatcher = {
        let dispatcher = Dispatcher(.init(running: 1))
        let (begun, never) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        dispatcher.submit({ () -> Result<Void, HTTPError> in
            begun.signal()
            never.wait()
            return .success(())
        }) { _ in }
        begun.wait()
        return dispatcher
    }()

    let verb: Verb
    private let end = FaultCallEnd()
    private let task: Task<Void, Never>

    /// Begins it.
    init(_ request: Request, over client: any HTTPClient) {
        // A file is fetched by GET.
        let verbs = Verb.allCases.filter { request.method == .get || ($0 != .download && $0 != .downloadIfNewer) }
        let verb = verbs[Self.turn.wrappingAdd(1, ordering: .relaxed).oldValue % verbs.count]
        self.verb = verb
        let token = CancellationToken()
        task = Task.detached(priority: .high) { [end] in
            let outcome: Result<Response, HTTPError>
            do {
                // For verbs that report to a callback, which the task does not end.
                try await withTaskCancellationHandler {
                    try await CancellationToken.$current.withValue(token) {
                        try await verb.run(MutableRequest(request), over: client)
                    }
                } onCancel: {
                    token.cancel()
                }
                outcome = .success(Response(request: request, status: .ok))
            } catch {
                outcome = .failure(error as? HTTPError ?? .cancelled(nil))
            }
            end.receive(outcome)
        }
    }

    func cancel() { task.cancel() }

    /// Its outcome, and how long after `due` it came; nil if there is none.
    func wait(from due: ContinuousClock.Instant) -> (outcome: Result<Response, HTTPError>, overshoot: Duration)? {
        end.wait().map { ($0.result, due.duration(to: $0.time)) }
    }
}
