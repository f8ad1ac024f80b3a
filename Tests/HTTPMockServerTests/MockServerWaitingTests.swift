import Foundation
import HTTPCore
import HTTPTesting
import Testing

@testable import HTTPMockServer

@Suite struct MockServerWaitingTests {
    @Test func `requests are taken in order, and the next one is awaited`() async throws {
        let server = try MockServer { _ in .status(200) }
        let client = try RawClient(server)
        for target in ["/1", "/2"] {
            client.get(target)
            _ = client.readResponse()
        }
        #expect(try await server.takeRequest().target == "/1")
        #expect(try await server.takeRequest().target == "/2")
        async let third = server.takeRequest()
        client.get("/3")
        #expect(try await third.target == "/3")
        #expect(server.requests.count == 3)
    }

    @Test func `a request can be taken while its handler still works`() throws {
        let server = try MockServer()
        server.enqueue(.text("late").taking(.seconds(600)))
        let client = try RawClient(server)
        client.get("/slow")
        #expect(try server.takeRequest().target == "/slow")
    }

    @Test func `waiting ends with an error after its timeout`() throws {
        let server = try MockServer()
        let timeout = Duration.milliseconds(20)
        let start = ContinuousClock.now
        #expect(throws: MockServerError.timedOut(waitingFor: "request", timeout: timeout)) {
            try server.takeRequest(timeout: timeout)
        }
        #expect(ContinuousClock.now - start >= timeout)
        #expect(throws: MockServerError.self) { try server.wait(for: .endOfConnection(1), timeout: timeout) }
    }

    @Test func `a wait takes no descriptor, of which there may be none left`() async {
        await #expect(processExitsWith: .success) {
            let server = try MockServer()
            // Those that are open stay open.
            var limit = rlimit()
            getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 3
            setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
            let timeout = Duration.milliseconds(1)
            let wait = { _ = try server.takeRequest(timeout: timeout) }
            #expect(throws: MockServerError.timedOut(waitingFor: "request", timeout: timeout)) { try wait() }
        }
    }

    @Test func `stopping the server wakes waiting threads`() async throws {
        let server = try MockServer()
        let error: MockServerError? = await withCheckedContinuation { continuation in
            Thread {
                do throws(MockServerError) {
                    _ = try server.takeRequest(timeout: .seconds(60))
                    continuation.resume(returning: nil)
                } catch { continuation.resume(returning: error) }
            }
            .start()
            Task {
                await Self.untilWaited(on: server)
                server.stop()
            }
        }
        #expect(error == .stopped(waitingFor: "request"))
    }

    @Test func `an awaited wait ends with its time, with its task and with the server`() async throws {
        let server = try MockServer()
        let timeout = Duration.milliseconds(20)
        await #expect(throws: MockServerError.timedOut(waitingFor: "request", timeout: timeout)) {
            try await server.takeRequest(timeout: timeout)
        }
        let cancelled = Task { try await server.wait(for: .requests(1), timeout: .seconds(60)) }
        await Self.untilWaited(on: server)
        cancelled.cancel()
        await #expect(throws: MockServerError.timedOut(waitingFor: "1 requests", timeout: .seconds(60))) {
            try await cancelled.value
        }
        let taken = Task { try await server.takeRequest(timeout: .seconds(60)) }
        await Self.untilWaited(on: server)
        server.stop()
        await #expect(throws: MockServerError.stopped(waitingFor: "request")) { try await taken.value }
    }

    @Test func `each of many waits gets its own request`() async throws {
        let server = try MockServer { _ in .status(200) }
        let client = try RawClient(server)
        async let first = server.takeRequest()
        async let second = server.takeRequest()
        for target in ["/1", "/2"] {
            client.get(target)
            _ = client.readResponse()
        }
        #expect(try await Set([first.target, second.target]) == ["/1", "/2"])
    }

    /// Until somebody waits for an event of the server.
    private static func untilWaited(on server: MockServer) async {
        while server.core.log.state.waiterCount == 0 { await Task.yield() }
    }
}
