import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPAsync

/// Interceptors from suspending closures.
@Suite(.timeLimit(.minutes(5))) struct SuspendingInterceptorTests {
    private struct Torn: Error {}

    private actor Signer {
        private(set) var count = 0

        func signature() -> String {
            count += 1
            return "signed"
        }
    }

    private enum Local { @TaskLocal static var name = "none" }

    private let threads = CountedThreads()
    private var dispatcher: Dispatcher { threads.dispatcher }

    private static func signing(_ signer: Signer) -> Interceptor {
        Interceptor { request, next in
            let signature = await signer.signature()
            return try await next.send(MutableRequest(request) |> .header("Signature", signature))
        }
    }

    @Test func `any number of calls may be in one closure, without a thread for each`() async throws {
        let server = try MockServer { MockResponse.text($0.path).taking(.milliseconds(30)) }
        let signer = Signer()
        let client = CurlTransport().intercepted(by: .log { _ in }, Self.signing(signer), .retry())
        try await withThrowingTaskGroup { group in
            for index in 0..<100 {
                group.addTask {
                    let response = try await client.send(.get(server.url("/\(index)")), on: dispatcher)
                    #expect(try response.text() == "/\(index)")
                }
            }
            try await group.waitForAll()
        }
        // The timer thread and the agent's: the exchanges are made by the dispatcher of the calls.
        #expect((2...3).contains(threads.started.count))
        #expect(server.requestCount == 100 && server.requests.allSatisfy { $0.headers["Signature"] == "signed" })
        #expect(await signer.count == 100)
    }

    @Test func `a call that has ended does not keep its client until its timeout`() async throws {
        final class Held: Sendable {}
        let server = ScriptedClient(ScriptedClient.status(.ok))
        weak var released: Held?
        do {
            let held = Held()
            released = held
            let client = server.intercepted(
                by: Interceptor { request, next in
                    withExtendedLifetime(held) {}
                    return try await next.send(MutableRequest(request))
                })
            let status = try await client.send(
                .get("http://a.example/") |> .timeout(.seconds(600)), on: dispatcher
            ).status
            #expect(status == .ok && server.requests.count == 1)
        }
        #expect(await suspended(atMost: .seconds(10)) { released == nil })
    }

    @Test func `a closure that does not call the next client supplies the response itself`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let cached = CurlTransport().intercepted(
            by: Interceptor { request, _ in
                await Task.yield()
                return Response(request: request, status: .noContent)
            })
        #expect(try await cached.get(server.url("/"), on: dispatcher).status == .noContent)
        #expect(server.requestCount == 0)
    }

    @Test func `a step may come from an actor, and if it throws nothing is sent`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let signer = Signer()
        let signed = CurlTransport().intercepted(by: .applying { _ in .header("Signature", await signer.signature()) })
        #expect(try await signed.get(server.url("/"), on: dispatcher).status == .ok)
        #expect(server.requests.map { $0.headers["Signature"] } == ["signed"])
        let torn = CurlTransport().intercepted(
            by: .applying { _ in
                _ = await signer.signature()
                throw Torn()
            })
        guard case .interceptor(let failure)? = await torn.failure(.get(server.url("/")), on: dispatcher) else {
            return #expect(Bool(false))
        }
        #expect(failure.underlying is Torn && server.requestCount == 1)
    }

    private static func made(by caller: pthread_t, for request: Request) throws -> String {
        guard request.url.path != "/torn" else { throw Torn() }
        return "\(pthread_equal(caller, pthread_self()) != 0) \(request.url.path)"
    }

    @Test func `a step made from the request without waiting is made on the thread of a blocking call`() throws {
        let server = try MockServer { _ in .text("ok") }
        let caller = pthread_self()
        let client = CurlTransport().intercepted(
            by: .applying { request in .header("Made", try Self.made(by: caller, for: request)) })
        _ = try client.send(.get(server.url("/a")))
        guard case .interceptor(let failure)? = client.executeRequest(.get(server.url("/torn"))).failure else {
            return #expect(Bool(false))
        }
        #expect(failure.underlying is Torn)
        #expect(server.requests.map { $0.headers["Made"] } == ["true /a"])
    }

    @Test func `a closure that calls the next client twice returns the last response`() async throws {
        let server = try MockServer { _ in .text("second") }
        server.enqueue(.text("first"))
        let twice = CurlTransport().intercepted(
            by: Interceptor { request, next in
                _ = try await next.send(request)
                return try await next.send(request)
            })
        #expect(try await twice.get(server.url("/"), on: dispatcher).text() == "second")
        #expect(server.requestCount == 2)
    }

    @Test func `its error is the failure of the call, with the request named`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let torn = CurlTransport().intercepted(
            by: Interceptor { _, _ in
                await Task.yield()
                throw Torn()
            })
        guard case .interceptor(let failure)? = await torn.failure(.get(server.url("/x")), on: dispatcher) else {
            return #expect(Bool(false))
        }
        #expect(failure.underlying is Torn && failure.source == .interceptor && failure.record.url.hasSuffix("/x"))
        let refusing = CurlTransport().intercepted(
            by: Interceptor { _, _ in
                await Task.yield()
                throw HTTPError.unsupported(Unsupported("it", "why"))
            })
        guard case .unsupported? = await refusing.failure(.get(server.url("/")), on: dispatcher) else {
            return #expect(Bool(false))
        }
        #expect(server.requestCount == 0)
    }

    @Test(.timeLimit(.minutes(5))) func `a call ends when it is cancelled, whatever the closure does`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let (begun, told, ended) = (Event(), Event(), Event())
        let stubborn = CurlTransport().intercepted(
            by: Interceptor { request, next in
                begun.signal()
                // Ignores cancellation until the call has ended.
                await told.happened()
                #expect(Task.isCancelled)
                ended.signal()
                return try await next.send(request)
            })
        let outcome = Locked<HTTPError?>(nil)
        let call = stubborn.executeRequest(.get(server.url("/")), callbackQueue: .immediate, on: dispatcher) { result in
            outcome.withLock { $0 = result.failure }
            told.signal()
        }
        await begun.happened()
        call.cancel()
        await ended.happened()
        guard case .cancelled(let record?) = outcome.withLock({ $0 }) else { return #expect(Bool(false)) }
        #expect(record.url.hasPrefix("http://") && record.phase == .other && server.requestCount == 0)
    }

    @Test func `a call ends at its timeout, whatever the closure does`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let (told, ended) = (Event(), Event())
        let stubborn = CurlTransport().intercepted(
            by: Interceptor { request, next in
                await told.happened()
                #expect(Task.isCancelled)
                ended.signal()
                return try await next.send(request)
            })
        let error = await stubborn.failure(.get(server.url("/")) |> .timeout(.milliseconds(50)), on: dispatcher)
        guard case .timedOut(let failure)? = error else { return unexpected(error as Any) }
        #expect(failure.limit == .total && failure.duration == .milliseconds(50) && failure.phase == .other)
        #expect(failure.record?.metrics.total ?? .zero >= .milliseconds(50))
        told.signal()
        await ended.happened()
        #expect(server.requestCount == 0)
    }

    @Test func `a call whose request was sent does not say at its timeout that it was starting`() async throws {
        let server = try MockServer { _ in MockResponse.text("late").taking(.seconds(20)) }
        let passing = CurlTransport().intercepted(by: Interceptor { request, next in try await next.send(request) })
        let (client, draft) = (passing, MutableRequest.get(server.url("/")) |> .timeout(.seconds(2)))
        async let awaited = client.failure(draft, on: dispatcher)
        let blocking = await onThread { client.executeRequest(draft).failure }
        for error in [await awaited, blocking] {
            guard case .timedOut(let failure)? = error, let phase = failure.phase else { return #expect(Bool(false)) }
            // The exchange ends at the same moment, and says more.
            #expect(phase == .other || phase == .waiting)
        }
        #expect(server.requestCount == 2)
    }

    @Test func `its requests keep the deadline of the call`() async throws {
        let server = try MockServer { _ in MockResponse.text("late").taking(.seconds(20)) }
        let ended = Event()
        let outcome = Locked<HTTPError?>(nil)
        let allowance = Locked<Duration?>(nil)
        let passing = CurlTransport().intercepted(
            by: Interceptor { request, next in
                allowance.withLock { $0 = CallDeadline.current?.allowance }
                do throws(HTTPError) { return try await next.send(MutableRequest(request) |> .timeout(nil)) } catch {
                    outcome.withLock { $0 = error }
                    ended.signal()
                    throw error
                }
            })
        guard
            case .timedOut? = await passing.failure(
                .get(server.url("/")) |> .timeout(.milliseconds(100)), on: dispatcher)
        else {
            return #expect(Bool(false))
        }
        await ended.happened()
        let own = outcome.withLock { $0 }
        guard case .timedOut(let failure)? = own else { return unexpected(own as Any) }
        #expect(failure.limit == .total && server.requestCount <= 1)
        #expect(allowance.withLock { $0 } == .milliseconds(100))
    }

    @Test func `it sees the caller's task-local values, in each attempt and in a download`() async throws {
        let server = try MockServer { _ in .text("ok") }
        server.enqueue(MockResponse(status: 503, headers: ["Retry-After": "0"]))
        let directory = try ScratchDirectory()
        let naming = CurlTransport().intercepted(
            by: .retry(),
            Interceptor { request, next in
                await Task.yield()
                return try await next.send(MutableRequest(request) |> .header("Name", Local.name))
            })
        try await Local.$name.withValue("ada") {
            _ = try await naming.send(.get(server.url("/")), on: dispatcher)
            try await naming.download(.get(server.url("/")), to: directory.file("one"), on: dispatcher)
        }
        #expect(server.requests.map { $0.headers["Name"] } == ["ada", "ada", "ada"])
    }

    @Test func `policies may be on both sides of it`() async throws {
        let server = try MockServer { _ in .text("ok") }
        server.enqueue(MockResponse(status: 503, headers: ["Retry-After": "0"]))
        let signer = Signer()
        let client = CurlTransport().intercepted(by: .retry() |> Self.signing(signer) |> .validate())
        let inside = CurlTransport().intercepted(by: Self.signing(signer) |> .retry())
        #expect(try await client.send(.get(server.url("/")), on: dispatcher).status == .ok)
        server.enqueue(MockResponse(status: 503, headers: ["Retry-After": "0"]))
        #expect(try await inside.send(.get(server.url("/")), on: dispatcher).metrics.attemptCount == 2)
        #expect(server.requestCount == 4)
        #expect(await signer.count == 3)
    }

    @Test func `calls that suspend in a closure behind one that blocks give up their slots for its requests`()
        async throws
    {
        let stub = StubClient { request in .success(Response(request: request, status: .ok)) }
        let client = stub.intercepted(
            by: Interceptor { request, next in next.executeRequest(request) },
            Interceptor { request, next in try await next.send(request) })
        let statuses = await withTaskGroup(of: HTTPStatus?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try? await client.send(.get("https://slots.example/") |> .timeout(.seconds(50))).status
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count == 100 && statuses.allSatisfy { $0 == .ok })
    }

    @Test func `a blocking call waits for it, and can be cancelled meanwhile`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let signer = Signer()
        let client = CurlTransport().intercepted(by: Self.signing(signer))
        #expect(await onThread { client.executeRequest(.get(server.url("/"))) }.value?.status == .ok)
        #expect(server.requests.map { $0.headers["Signature"] } == ["signed"])
        let (begun, told) = (Event(), Event())
        let stubborn = CurlTransport().intercepted(
            by: Interceptor { request, next in
                begun.signal()
                await told.happened()
                return try await next.send(request)
            })
        let token = CancellationToken()
        async let error = onThread {
            CancellationToken.$current.withValue(token) { stubborn.executeRequest(.get(server.url("/"))).failure }
        }
        await begun.happened()
        token.cancel()
        guard case .cancelled? = await error else { return #expect(Bool(false)) }
        told.signal()
        let late = await onThread {
            CallDeadline(.zero).run { stubborn.executeRequest(.get(server.url("/"))).failure }
        }
        guard case .timedOut(let failure)? = late else { return unexpected(late as Any) }
        #expect(failure.limit == .total && server.requestCount == 1)
    }
}
