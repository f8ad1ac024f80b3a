import TestSupport
import HTTPSupport
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Waits for signals, and work, in awaited calls and batches.
@Suite(.timeLimit(.minutes(5))) struct PolicySignalDriversTests {
    private let notes = Locked<[String]>([])
    private let began = Event()

    private func note(_ line: String) { notes.withLock { $0.append(line) } }

    /// A policy that takes one step before it passes the request on, and tells what happens.
    private struct Before: CallPolicy {
        let step: PolicyStep
        let began: Event
        let note: @Sendable (String) -> Void

        mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
            switch event {
            case .started:
                began.signal()
                return step
            case .resumed:
                note("resumed")
                return .pass
            case .answered(let outcome): return .finish(outcome)
            case .interrupted(let error):
                note("interrupted")
                return .finish(.failure(error))
            @unknown default: return .pass
            }
        }
    }

    private func client(_ steps: PolicyStep...) -> any HTTPClient {
        CurlTransport().intercepted(
            by: Interceptor(
                steps.map { step in
                    Interceptor(
                        Before(step: step, began: began) { [notes] line in
                            notes.withLock { $0.append(line) }
                        })
                }))
    }

    @Test func `a signal ends the waits of awaited calls and of a batch, and those fired before take no time`()
        async throws
    {
        let server = try MockServer { _ in .text("ok") }
        let (fired, signal) = (PolicySignal(), PolicySignal())
        fired.fire()
        let client = client(.wait(for: fired, because: .authorizing), .wait(for: signal, because: .named("a turn")))
        let awaited = (0..<20).map { _ in Task { try await client.send(.get(server.url("/")) |> .timeout(nil)).status }
        }
        let batch = Task {
            await onThread {
                client.executeRequests((0..<20).map { _ in .get(server.url("/")) |> .timeout(nil) }).map {
                    $0.value?.status
                }
            }
        }
        await began.happened(80)
        #expect(server.requestCount == 0)
        signal.fire()
        for call in awaited { #expect(try await call.value == .ok) }
        #expect(await batch.value == Array(repeating: .ok, count: 20))
        #expect(server.requestCount == 40 && notes.withLock { $0.count { $0 == "resumed" } } == 80)
    }

    @Test func `one that nobody fires ends at the deadline, in both`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let client = client(.wait(for: PolicySignal(), because: .named("a turn")))
        let draft = MutableRequest.get(server.url("/")) |> .timeout(.milliseconds(50))
        let errors = [
            await client.failure(draft), await onThread { client.executeRequests([draft]).first?.failure },
            await onThread { client.executeRequest(draft).failure },
        ]
        for error in errors {
            guard case .timedOut(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failure.limit == .total && failure.phase == .named("a turn"))
            #expect("\(HTTPError.timedOut(failure))".contains("while waiting for a turn"))
        }
        #expect(notes.withLock { $0 } == ["interrupted", "interrupted", "interrupted"] && server.requestCount == 0)
    }

    @Test func `a cancelled call leaves its wait at once, and the signal it waited for is none of its business`()
        async throws
    {
        let server = try MockServer { _ in .text("ok") }
        let signal = PolicySignal()
        let client = client(.wait(for: signal, because: .authorizing))
        let call = Task { await client.failure(.get(server.url("/")) |> .timeout(nil)) }
        await began.happened()
        call.cancel()
        guard case .cancelled(let record?)? = await call.value else { return #expect(Bool(false)) }
        #expect(record.phase == .authorizing)
        signal.fire()
        #expect(try await client.send(.get(server.url("/"))).status == .ok)
        #expect(notes.withLock { $0 } == ["interrupted", "resumed"] && server.requestCount == 1)
    }

    @Test func `an awaited call resumes when its work is done, and it may be long`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let gate = Event()
        let client = client(
            .run { [self] in
                gate.block()
                note("worked")
            })
        let call = Task { try await client.send(.get(server.url("/")) |> .timeout(nil)).status }
        await began.happened()
        #expect(server.requestCount == 0)
        gate.signal()
        #expect(try await call.value == .ok)
        #expect(notes.withLock { $0 } == ["worked", "resumed"])
    }

    @Test(arguments: [false, true])
    func `an awaited call that ends first is interrupted at once, and the work goes on`(isCancelled: Bool) async throws
    {
        let server = try MockServer { _ in .text("ok") }
        let (gate, working, done) = (Event(), Event(), Event())
        let client = client(
            .run {
                working.signal()
                gate.block()
                done.signal()
            })
        let call = Task {
            await client.failure(.get(server.url("/")) |> .timeout(isCancelled ? nil : .milliseconds(100)))
        }
        await working.happened()
        if isCancelled { call.cancel() }
        let error = await call.value
        #expect(done.count == 0 && notes.withLock { $0 } == ["interrupted"])
        switch error {
        case .cancelled(let record?): #expect(isCancelled && record.phase == .work)
        case .timedOut(let failure):
            #expect(!isCancelled && "\(HTTPError.timedOut(failure))".contains("waiting for the work of Before"))
        default: Issue.record("\(String(describing: error))")
        }
        gate.signal()
        await done.happened()
        #expect(notes.withLock { $0 } == ["interrupted"] && server.requestCount == 0)
    }

    @Test func `an endless policy is ended by name, in an awaited call and a batch`() async throws {
        struct Endless: CallPolicy {
            mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
                .wait(until: moment.now, because: .named("nothing"))
            }
        }
        let client = CurlTransport().intercepted(by: Interceptor(Endless()))
        let draft = MutableRequest.get("http://127.0.0.1:9/") |> .timeout(nil)
        for error in [
            await client.failure(draft), await onThread { client.executeRequests([draft]).first?.failure },
        ] {
            guard case .other(let fault as PolicyFault)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(fault.kind == .goesOnForEver && fault.policy == "Endless" && fault.record?.phase == .queued)
        }
    }
}
