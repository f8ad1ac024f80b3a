import HTTPSupport
import HTTPTesting
import Synchronization
import Testing

import HTTPAsync
import HTTPCore

/// Calls that wait in a policy on their threads, and the slots of these threads.
@Suite(.timeLimit(.minutes(5))) struct WaitsOnThreadsTests {
    private static let url = "http://one.example/"
    private static let closure = Interceptor { request, next in next.executeRequest(request) }

    /// How a call comes to wait on a thread of the dispatcher.
    enum Way: CaseIterable, Sendable {
        case awaited, callback, work, workAtHost, task

        func start(_ client: any HTTPClient, _ target: String, on dispatcher: Dispatcher) -> Task<HTTPStatus, any Error>
        {
            let draft = MutableRequest.get(WaitsOnThreadsTests.url + target) |> .timeout(nil)
            return switch self {
            case .awaited: Task { try await client.send(draft, on: dispatcher).status }
            case .callback:
                Task {
                    let token = CancellationToken()
                    return try await withTaskCancellationHandler {
                        try await withCheckedContinuation { continuation in
                            token.run {
                                _ = client.executeRequest(draft, callbackQueue: .immediate, on: dispatcher) {
                                    continuation.resume(returning: $0)
                                }
                            }
                        }.get().status
                    } onCancel: {
                        token.cancel()
                    }
                }
            case .work:
                Task { try await dispatcher.run { client.executeRequest(draft) }.status }
            case .workAtHost:
                Task { try await dispatcher.run(host: "one.example") { client.executeRequest(draft) }.status }
            case .task:
                Task(executorPreference: dispatcher) { try await client.send(draft, on: dispatcher).status }
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `another call has the slot of one that waits`(way: Way) async throws {
        let base = CountedClient()
        let dispatcher = Dispatcher.limited(to: 1, perHost: 1)
        let waits = Event()
        let waiting = base.intercepted(by: Self.closure, Interceptor(LongWait(began: waits)))
        let calls = (0..<12).map { way.start(waiting, "\($0)", on: dispatcher) }
        await waits.happened(12)
        #expect(base.served.withLock(\.self) == [])
        #expect(try await base.send(.get(Self.url + "free"), on: dispatcher).status == .ok)
        #expect(base.served.withLock(\.self) == ["/free"])
        for call in calls { call.cancel() }
        for call in calls {
            guard case .failure(let error as HTTPError) = await call.result, case .cancelled = error else {
                Issue.record("\(await call.result)")
                return
            }
        }
        // Its slots are free, each once.
        #expect(dispatcher.calls.running == 0)
        #expect(dispatcher.waitingCount == 0)
    }

    // Calls of a task on its own thread, and of work that names no host, never count at their host.
    @Test(arguments: Way.allCases.filter { $0 != .task && $0 != .work })
    func `calls that have waited keep the limit of their host`(way: Way) async throws {
        let base = CountedClient()
        let dispatcher = Dispatcher.limited(to: 4, perHost: 2)
        let (waits, gate) = (Event(), PolicySignal())
        let client = base.intercepted(by: Self.closure, Interceptor(SharedWait(began: waits, gate: gate)))
        let calls = (0..<20).map { way.start(client, "\($0)", on: dispatcher) }
        await waits.happened(20)
        gate.fire()
        for call in calls { #expect(try await call.value == .ok) }
        #expect(base.served.withLock { $0.count } == 20)
        #expect(base.most.withLock(\.self) <= 2, "\(base.most.withLock(\.self)) calls at once")
        #expect(await suspended { dispatcher.calls.running == 0 })
        // The limit still holds.
        let more = (0..<8).map { number in Task { try await base.send(.get(Self.url + "m\(number)"), on: dispatcher) } }
        for call in more { #expect(try await call.value.status == .ok) }
        #expect(base.most.withLock(\.self) <= 2)
    }

    @Test func `calls that have slots and wait for a lock of one that has waited do not stop it`() async throws {
        let base = CountedClient(firstStatus: .serviceUnavailable)
        let lock = Locked(())
        let oneAtATime = Interceptor { request, next in lock.withLock { _ in next.executeRequest(request) } }
        let (waits, gate) = (Event(), PolicySignal())
        let client = base.intercepted(by: oneAtATime, Interceptor(OnceMore(began: waits, gate: gate)))
        let dispatcher = Dispatcher.limited(to: 1, perHost: 1)
        let calls = (0..<3).map { number in
            Task { try await client.send(.get(Self.url + "\(number)"), on: dispatcher).status }
        }
        await waits.happened()
        // The second has the slot, and waits for the lock.
        #expect(await suspended { dispatcher.calls == (1, 1) })
        gate.fire()
        for call in calls { #expect(try await call.value == .ok) }
        #expect(base.served.withLock { $0.count } == 4)
    }

    @Test func `a wait for what has happened is none, and not refused`() async throws {
        let gate = PolicySignal()
        gate.fire()
        let shared = Interceptor(SharedWait(began: Event(), gate: gate))
        let client = CountedClient().intercepted(by: Self.closure, shared)
        #expect(try await client.send(.get(Self.url), on: .limited(to: 1, queued: 0)).status == .ok)
    }

    @Test func `more of them than may wait are refused`() async throws {
        let base = CountedClient()
        let waits = Event()
        let client = base.intercepted(by: Self.closure, Interceptor(LongWait(began: waits)))
        let dispatcher = Dispatcher.limited(to: 8, queued: 2)
        let ended = Event()
        let calls = (0..<5).map { number in
            Task {
                defer { ended.signal() }
                return try await client.send(.get(Self.url + "\(number)") |> .timeout(nil), on: dispatcher)
            }
        }
        await ended.happened(3)
        for call in calls { call.cancel() }
        var refused = 0
        for call in calls {
            guard case .failure(HTTPError.other(let overload as Overload)) = await call.result else { continue }
            refused += 1
            #expect(overload.reason == .queueFull && overload.limit == 2)
        }
        #expect(refused == 3 && base.served.withLock(\.self) == [])
    }

    @Test func `a call that has no turn at its host after a wait ends at its timeout, and names the limit`()
        async throws
    {
        let base = CountedClient()
        let dispatcher = Dispatcher.limited(to: 4, perHost: 1)
        let (waits, gate) = (Event(), PolicySignal())
        let client = base.intercepted(by: Self.closure, Interceptor(SharedWait(began: waits, gate: gate)))
        let late = Task {
            try await client.send(.get(Self.url + "late") |> .timeout(.milliseconds(900)), on: dispatcher)
        }
        await waits.happened()
        let holder = GatedClient()
        let held = Task { try await holder.send(.get(Self.url + "held"), on: dispatcher) }
        await holder.arrived.happened()
        gate.fire()
        guard case .failure(HTTPError.timedOut(let failure)) = await late.result else {
            holder.gate.signal()
            Issue.record("\(await late.result)")
            return
        }
        // On a slow machine its time is over before the signal is fired.
        guard failure.phase != .authorizing else { return holder.gate.signal() }
        #expect(failure.phase == .queued && failure.blockedBy?.contains("runningPerHost") == true)
        #expect("\(HTTPError.timedOut(failure))".contains("raise Dispatcher.Configuration.runningPerHost"))
        holder.gate.signal()
        #expect(try await held.value.status == .ok)
        #expect(base.served.withLock(\.self) == [])
    }
}

/// Waits until it is cancelled, or almost.
private struct LongWait: CallPolicy {
    let began: Event

    func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started:
            began.signal()
            return .wait(until: moment.now + .seconds(6000), because: .betweenAttempts)
        case .resumed: return .pass
        case .answered(let outcome): return .finish(outcome)
        case .interrupted(let error): return .finish(.failure(error))
        }
    }
}

/// Waits for the signal before it sends.
private struct SharedWait: CallPolicy {
    let began: Event
    let gate: PolicySignal

    func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started:
            began.signal()
            return .wait(for: gate, because: .authorizing)
        case .resumed: return .pass
        case .answered(let outcome): return .finish(outcome)
        case .interrupted(let error): return .finish(.failure(error))
        }
    }
}

/// Sends again, once the signal is fired, what was answered with an error.
private struct OnceMore: CallPolicy {
    let began: Event
    let gate: PolicySignal

    func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started: return .pass
        case .answered(.success(let response)) where response.status == .serviceUnavailable:
            began.signal()
            return .wait(for: gate, because: .betweenAttempts)
        case .resumed: return .pass
        case .answered(let outcome): return .finish(outcome)
        case .interrupted(let error): return .finish(.failure(error))
        }
    }
}

/// Counts the calls that it answers at the same time.
private struct CountedClient: HTTPClient {
    let served = Locked<[String]>([])
    let most = Locked(0)
    private let running = Locked(0)
    var firstStatus = HTTPStatus.ok

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let now = running.withLock { count in
            count += 1
            return count
        }
        most.withLock { $0 = max($0, now) }
        let isFirst = served.withLock { served in
            served.append(request.url.target)
            return served.count == 1
        }
        // Others have the chance to come meanwhile.
        _ = Signal().wait(until: .now + .milliseconds(2))
        running.withLock { $0 -= 1 }
        return .success(Response(request: request, status: isFirst ? firstStatus : .ok))
    }
}
