import HTTPSupport
import HTTPAsync
import HTTPCore
import HTTPTesting
import Testing

/// Blocking work on a thread of a dispatcher, and the limits of the dispatcher.
@Suite(.timeLimit(.minutes(5))) struct DispatcherRunTests {
    private let url = "http://one.example/"
    private let other = "http://two.example/"

    @Test func `work that names its host counts there, and waits for it`() async throws {
        let client = HostClient()
        let dispatcher = Dispatcher.limited(to: 20, perHost: 2)
        let url = url
        let work = (0..<10).map { _ in
            Task { try await dispatcher.run(host: "one.example") { client.executeRequest(.get(url)) } }
        }
        await client.arrived.happened(2)
        // Calls to the other host are not delayed by the eight that wait for this one.
        let stranger = Task { [other] in try await client.send(.get(other), on: dispatcher) }
        await client.arrived.happened(3)
        client.gate.signal()
        for task in work { #expect(try await task.value.status == .ok) }
        #expect(try await stranger.value.status == .ok)
        #expect(client.served == 11)
        #expect(client.most == ["one.example": 2, "two.example": 1])
    }

    @Test func `work without a host counts in the total only`() async throws {
        let client = HostClient()
        let dispatcher = Dispatcher.limited(to: 4, perHost: 1)
        let url = url
        let work = (0..<12).map { _ in Task { try await dispatcher.run { client.executeRequest(.get(url)) } } }
        await client.arrived.happened(4)
        client.gate.signal()
        for task in work { #expect(try await task.value.status == .ok) }
        #expect(client.served == 12)
        #expect(client.most == ["one.example": 4])
    }

    @Test func `the calls of work end with its task`() async throws {
        let stub = StubClient { .success(Response(request: $0, status: .ok)) }
        let (hasBegun, url) = (Event(), url)
        let client = stub.intercepted(
            by: Interceptor { _, _ in
                hasBegun.signal()
                let token = CancellationToken.current
                let ended = Event()
                let registration = token?.onCancel { ended.signal() }
                ended.block()
                withExtendedLifetime(registration) {}
                return .failure(.cancelled(nil))
            })
        let task = Task { try await Dispatcher.limited(to: 1).run { client.executeRequest(.get(url)) } }
        await hasBegun.happened()
        task.cancel()
        guard case .failure(let error as HTTPError) = await task.result, case .cancelled = error else {
            Issue.record("it was not cancelled")
            return
        }
        #expect(stub.requests.isEmpty)
    }

    @Test func `a call that an interceptor makes within a call uses no slot of its own`() async throws {
        let client = HostClient(isOpen: true)
        let url = url
        let twice = client.intercepted(
            by: Interceptor { request, next in
                next.executeRequest(.get(url + "before")).flatMap { _ in next.executeRequest(request) }
            })
        let response = try await Dispatcher.limited(to: 4, perHost: 1).run(host: "one.example") {
            twice.executeRequest(.get(url))
        }
        #expect(response.status == .ok && client.served == 2)
    }
}

/// Counts the running calls to each host, and answers once its gate is open.
private struct HostClient: HTTPClient {
    private struct Counts {
        var running: [String: Int] = [:]
        var most: [String: Int] = [:]
        var served = 0
    }

    let arrived = Event()
    let gate = Event()
    private let counts = Locked(Counts())

    init(isOpen: Bool = false) { if isOpen { gate.signal() } }

    var most: [String: Int] { counts.withLock { $0.most } }
    var served: Int { counts.withLock { $0.served } }

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let host = request.origin.host
        counts.withLock { counts in
            counts.running[host, default: 0] += 1
            counts.most[host] = max(counts.most[host] ?? 0, counts.running[host] ?? 0)
        }
        arrived.signal()
        gate.block()
        counts.withLock { counts in
            counts.running[host, default: 0] -= 1
            counts.served += 1
        }
        return .success(Response(request: request, status: .ok))
    }
}
