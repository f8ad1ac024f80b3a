import TestSupport
import HTTPSupport

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HTTPCore
import HTTPMockServer
import HTTPTesting
import Testing

@testable import HTTPURLSession

/// Time limits and cancellation while the work queue that all sessions of a process share is busy. Each test is
/// therefore a separate process.
@Suite(.timeLimit(.minutes(5))) struct SessionDeadlineTests {
    @Test func `a call ends at its limit and on cancellation, even if its session has not started it`() async {
        await #expect(processExitsWith: .success) {
            for style in EntryStyle.allCases { try await endBeforeBeginning(style) }
        }
    }

    @Test func `a running call ends at its limit, and its sink gets nothing more`() async {
        await #expect(processExitsWith: .success) { try endUnderWay() }
    }

    @Test func `a flood of trailer fields delays neither its own call nor the limits of others`() async {
        await #expect(processExitsWith: .success) { try endInFlood() }
    }
}

/// How much later than its limit a call may end on a busy machine. The queue is busy for longer.
private let tolerance = Duration.seconds(8)

private func endBeforeBeginning(_ style: EntryStyle) async throws {
    let server = try MockServer { _ in .fault(.stall(.midBody(after: 10))) }
    let draft = MutableRequest.get(server.url("/")) |> .idleTimeout(.seconds(20))
    let client = DelayedClient()
    let total = await style.call(client, draft |> .timeout(.milliseconds(60)), Canceller())
    guard case .failure(.timedOut(let late)) = total, late.limit == .total else {
        throw Unexpected("\(total)")
    }
    let idle = await style.call(
        client, draft |> .connectTimeout(.milliseconds(20)) |> .idleTimeout(.milliseconds(40)), Canceller())
    guard case .failure(.timedOut(let silent)) = idle, silent.limit == .idle else {
        throw Unexpected("\(idle)")
    }
    let canceller = Canceller()
    let begun = Signal()
    let cancelling = TestThread {
        _ = begun.wait()
        canceller.cancel()
    }
    let upload =
        MutableRequest.post(server.url("/"))
        |> .stream {
            begun.fire()
            return .data(Data(count: 10))
        }
    let cancelled = await style.call(client, upload, canceller)
    cancelling.join()
    guard case .failure(.cancelled) = cancelled else { throw Unexpected("\(cancelled)") }

    // A cancelled future ends before its call does.
    client.waitForEnds(3)
    let times = client.times.withLock { $0 }
    #expect(times.count == 3)
    #expect(times.prefix(2).allSatisfy { $0 >= .milliseconds(60) && $0 < .milliseconds(60) + tolerance })
    #expect(times.last.map { $0 < tolerance } == true, "\(times)")
    // Work on the session's queue runs in order.
    _ = try await style.call(URLSessionTransport(), .get(client.url), Canceller()).get()
    #expect(server.requestCount == 0, "a call that is over is not begun")
}

private func endUnderWay() throws {
    let server = try MockServer { _ in
        .text(String(repeating: "x", count: 1000)).failing(.stall(.midBody(after: 900)))
    }
    let log = Locked<[String]>([])
    let sink = BodyDestination.stream { _ in
        BodySink(
            write: { bytes in log.withLock { $0.append("\(bytes.count)") } },
            finish: { log.withLock { $0.append("finish") } }, abandon: { log.withLock { $0.append("abandon") } })
    }
    let busy = Locked<BusyQueue?>(nil)
    let start = ContinuousClock.now
    let draft =
        MutableRequest.get(server.url("/")) |> .timeout(.milliseconds(100))
        |> .destination(
            .stream { start in
                let holding = try BusyQueue(waits: false)
                busy.withLock { $0 = holding }
                return try sink.open(start) ?? BodySink(write: { _ in })
            })
    let error = try URLSessionTransport().executeRequest(draft).error()
    let time = start.duration(to: .now)
    guard case .timedOut(let failure) = error, failure.limit == .total else { throw error }
    #expect(time < .milliseconds(100) + tolerance, "\(time)")
    #expect(log.withLock { $0.last } == "abandon")
    let holding = try #require(busy.withLock { $0 })
    holding.release()
    try holding.waitUntilFree()
    try server.wait(for: .endOfConnection(1))
    #expect(log.withLock { $0.last } == "abandon")
}

private func endInFlood() throws {
    // FoundationNetworking takes longer than the tolerance for so many: it copies everything received for each new line.
    let fields = String(repeating: "a: b\r\n", count: 64_000)
    let flood = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n" + fields
    let server = try MockServer { _ in .raw(flood) }
    let start = ContinuousClock.now
    let draft = MutableRequest.get(server.url("/")) |> .timeout(.milliseconds(100))
    let error = try URLSessionTransport().executeRequest(draft).error()
    let time = start.duration(to: .now)
    guard case .timedOut = error else { throw error }
    #expect(time < .milliseconds(100) + tolerance, "\(time)")
    let next = ContinuousClock.now
    _ = URLSessionTransport().executeRequest(draft)
    #expect(next.duration(to: .now) < .milliseconds(100) + tolerance, "\(next.duration(to: .now))")
}

/// URLSession whose queue is busy during each call.
private final class DelayedClient: HTTPClient {
    /// The duration of each call, from its start or from its cancellation.
    let times = Locked<[Duration]>([])
    private let ended = DispatchSemaphore(value: 0)
    private let server: MockServer

    // swift-format-ignore: NeverUseForceTry
    init() { server = try! MockServer { _ in .text("ok") } }

    /// A URL that answers.
    var url: String { server.url("/") }

    /// Waits until that many calls are over.
    func waitForEnds(_ count: Int) { for _ in 0..<count { ended.wait() } }

    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        guard let busy = try? BusyQueue() else { return .failure(.cancelled(nil)) }
        defer { busy.release() }
        let start = Locked(ContinuousClock.now)
        let registration = CancellationToken.current?.onCancel { start.withLock { $0 = .now } }
        let result = URLSessionTransport().executeRequest(request)
        let end = ContinuousClock.now
        registration?.remove()
        times.withLock { $0.append(start.withLock { $0 }.duration(to: end)) }
        ended.signal()
        return result
    }
}

/// Keeps the work queue of all sessions busy, as a flooding server does.
private final class BusyQueue: Sendable {
    private let gate = Signal()
    private let server: MockServer
    private let session: URLSession

    init(waits: Bool = true) throws {
        let reached = Signal()
        server = try MockServer { _ in .text("ok") }
        session = URLSession(
            configuration: .ephemeral, delegate: Delegate(reached: reached, gate: gate), delegateQueue: InlineQueue())
        session.dataTask(with: try #require(URL(string: server.url("/")))).resume()
        if waits { _ = reached.wait(until: .now + .seconds(30)) }
    }

    func release() {
        gate.fire()
        session.finishTasksAndInvalidate()
    }

    /// Waits until all work queued before is done.
    func waitUntilFree() throws {
        _ = try URLSessionTransport().send(.get(server.url("/")))
    }

    private final class Delegate: NSObject, URLSessionDataDelegate {
        let reached: Signal
        let gate: Signal

        init(reached: Signal, gate: Signal) { (self.reached, self.gate) = (reached, gate) }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            reached.fire()
            _ = gate.wait(until: .now + .seconds(40))
        }
    }
}
#endif
