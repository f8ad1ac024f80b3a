import HTTPAsync
import HTTPCore
import HTTPTesting
import Testing

/// Work of several blocking calls, and the limit of calls to one host.
@Suite(.timeLimit(.minutes(5))) struct PerformTests {
    private let url = "http://one.example/"
    private let other = "http://two.example/"

    /// Runs work that calls `url` and then `other`, `count` times concurrently.
    private func start(_ count: Int, _ client: some HTTPClient, on dispatcher: Dispatcher) -> [Task<Void, any Error>] {
        (0..<count).map { number in
            Task { [url, other] in
                try await client.perform(on: dispatcher) { client in
                    client.executeRequest(.get(url + "\(number)")).flatMap { _ in
                        client.executeRequest(.get(other + "\(number)"))
                    }
                }
            }
        }
        .map { task in Task { _ = try await task.value } }
    }

    @Test func `calls of work without a host count at the hosts that they call`() async throws {
        let client = HostClient()
        let dispatcher = Dispatcher.limited(to: 20, perHost: 2)
        let work = start(10, client, on: dispatcher)
        await client.arrived.happened(2)
        // Calls to the other host are not delayed by the eight that wait for this one.
        let stranger = Task { [other] in try await client.send(.get(other + "x"), on: dispatcher) }
        await client.arrived.happened(3)
        client.gate.signal()
        for task in work { try await task.value }
        #expect(try await stranger.value.status == .ok)
        #expect(client.served == 21)
        #expect(client.most["one.example"] == 2)
        #expect(client.most["two.example"].map { $0 <= 2 } == true)
    }

    @Test func `an awaited call and work share the limit of their host`() async throws {
        let client = HostClient()
        let dispatcher = Dispatcher.limited(to: 20, perHost: 1)
        let awaited = Task { [url] in try await client.send(.get(url), on: dispatcher) }
        await client.arrived.happened()
        let work = start(3, client, on: dispatcher)
        let late = Task { [url] in try await client.send(.get(url), on: dispatcher) }
        client.gate.signal()
        for task in work { try await task.value }
        _ = try await (awaited.value, late.value)
        #expect(client.served == 8)
        #expect(client.most == ["one.example": 1, "two.example": 1])
    }

    @Test func `work in all slots makes progress, although its calls wait for one another`() async throws {
        let client = HostClient(isOpen: true)
        let dispatcher = Dispatcher.limited(to: 4, perHost: 1)
        for task in start(40, client, on: dispatcher) { try await task.value }
        #expect(client.served == 80)
        #expect(client.most == ["one.example": 1, "two.example": 1])
    }

    @Test func `work that names its host counts once there`() async throws {
        let client = HostClient(isOpen: true)
        let dispatcher = Dispatcher.limited(to: 4, perHost: 1)
        let url = url
        let response = try await client.perform(host: "one.example", on: dispatcher) { client in
            client.executeRequest(.get(url))
        }
        #expect(response.status == .ok && client.served == 1)
    }

    @Test func `a call of work that waits for its host ends with its task, and is not sent`() async throws {
        let client = HostClient()
        let dispatcher = Dispatcher.limited(to: 4, perHost: 1)
        let first = Task { [url] in try await client.send(.get(url), on: dispatcher) }
        await client.arrived.happened()
        let hasBegun = Event()
        let url = url
        let second = Task {
            try await client.perform(on: dispatcher) { client in
                hasBegun.signal()
                return client.executeRequest(.get(url))
            }
        }
        await hasBegun.happened()
        second.cancel()
        let outcome = await second.result
        guard case .failure(let error as HTTPError) = outcome, case .cancelled = error else {
            Issue.record("it came to \(outcome)")
            return
        }
        client.gate.signal()
        #expect(try await first.value.status == .ok)
        #expect(client.served == 1)
    }

    @Test func `a call of work that waits for its host ends at its own timeout, and names the cause`() async throws {
        let client = HostClient()
        let dispatcher = Dispatcher.limited(to: 4, perHost: 1)
        let first = Task { [url] in try await client.send(.get(url), on: dispatcher) }
        await client.arrived.happened()
        let url = url
        do {
            let response = try await client.perform(on: dispatcher) { client in
                client.executeRequest(.get(url) |> .timeout(.milliseconds(20)))
            }
            Issue.record("it was answered \(response.status)")
        } catch {
            guard case .timedOut(let failure) = error else { throw error }
            #expect(failure.record?.phase == .queued)
            #expect(failure.blockedBy?.contains("runningPerHost") == true)
            #expect(error.history?.waits.map(\.cause) == [.hostLimit])
        }
        client.gate.signal()
        #expect(try await first.value.status == .ok)
        #expect(client.served == 1)
    }

    @Test func `a call that an interceptor makes within a call uses no slot of its own`() async throws {
        let client = HostClient(isOpen: true)
        let url = url
        let twice = client.intercepted(
            by: Interceptor { request, next in
                next.executeRequest(.get(url + "before")).flatMap { _ in next.executeRequest(request) }
            })
        let response = try await twice.perform(on: Dispatcher.limited(to: 4, perHost: 1)) { client in
            client.executeRequest(.get(url))
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
