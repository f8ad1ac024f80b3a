import HTTPPolicies
import Foundation
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

/// Calls in flight, and their ends.
@Suite struct StubFlightTests {
    private static let url = "https://api.example.com/a"

    /// The outcome of a call that is made on its own thread.
    private final class Flight: Sendable {
        private let result = Mutex<Result<Response, HTTPError>?>(nil)
        private let isOver = DispatchSemaphore(value: 0)

        init(_ call: @escaping @Sendable () -> Result<Response, HTTPError>) {
            Thread.detachNewThread {
                let result = call()
                self.result.withLock { $0 = result }
                self.isOver.signal()
            }
        }

        var hasLanded: Bool { result.withLock { $0 != nil } }

        func land() throws -> Response {
            guard isOver.wait(timeout: .now() + 10) == .success else { throw TimedOut() }
            return try result.withLock { try #require($0).get() }
        }

        struct TimedOut: Error {}
    }

    @Test func `a held call continues when released`() throws {
        let hold = StubGate()
        let stub = StubClient().on(.get, "/a", answer: .text("there").taking(.seconds(1)).held(by: hold))
        let flights = (0..<2).map { _ in Flight { stub.executeRequest(.get(Self.url)) } }
        try stub.wait(for: .requests(2))
        #expect(flights.allSatisfy { !$0.hasLanded })
        #expect(!hold.isReleased)
        hold.release()
        for flight in flights { #expect(try flight.land().text() == "there") }
        #expect(hold.waiting == 0)
        #expect(try stub.get(Self.url).text() == "there")
    }

    @Test func `a pending call ends at once when it is cancelled`() throws {
        let stub = StubClient().on(.get, "/a", answer: .pending)
        let token = CancellationToken()
        let flight = Flight { token.run { stub.executeRequest(.get(Self.url)) } }
        try stub.wait(for: .requests(1))
        #expect(!flight.hasLanded)
        token.cancel()
        let error = try #require(throws: HTTPError.self) { try flight.land() }
        guard case .cancelled(let record?) = error else { throw error }
        #expect(record.phase == .waiting)
        #expect(record.authority == "api.example.com")
    }

    @Test(arguments: [(RequestStep.none, TimeoutFailure.Limit.idle, 30), (.timeout(.seconds(5)), .total, 5)])
    func `a pending call times out when time is advanced`(
        limits: RequestStep, limit: TimeoutFailure.Limit, seconds: Int
    ) throws {
        let stub = StubClient().on(.get, "/a", answer: .pending)
        let flight = Flight { stub.executeRequest(.get(Self.url) |> limits) }
        try stub.wait(for: .requests(1))
        stub.time.advance(by: .seconds(seconds))
        let error = try #require(throws: HTTPError.self) { try flight.land() }
        guard case .timedOut(let failure) = error else { throw error }
        #expect(failure.limit == limit)
        #expect(failure.duration == .seconds(seconds))
        #expect(failure.phase == .waiting)
    }

    @Test func `a call that is already cancelled is not made`() throws {
        let stub = StubClient().on(.get, "/a", answer: .ok)
        let token = CancellationToken()
        token.cancel()
        let error = try #require(throws: HTTPError.self) { try token.run { stub.executeRequest(.get(Self.url)) }.get() }
        guard case .cancelled = error else { throw error }
        #expect(stub.requestCount == 0)
    }

    @Test func `cancelling ends a retry's wait, and the call`() throws {
        let token = CancellationToken()
        let stub = StubClient().on(.get, "/a") { _ in
            token.cancel()
            return .status(503)
        }
        let result = token.run { stub.intercepted(by: .retry()).executeRequest(.get(Self.url)) }
        #expect(throws: HTTPError.self) { try result.get() }
        #expect(stub.requestCount == 1)
    }

    @Test func `waiting for missing requests ends`() throws {
        let stub = StubClient().on(.get, "/a", answer: .ok)
        _ = stub.executeRequest(.get(Self.url))
        try stub.wait(for: .requests(1), timeout: .zero)
        let error = try #require(throws: StubVerificationError.self) {
            try stub.wait(for: .requests(2), timeout: .milliseconds(1))
        }
        #expect(error.description.hasPrefix("• 1 of 2 requests came within 0.001 seconds: the others were not made"))
    }

    @Test func `a wait may be as long as it likes`() async throws {
        let stub = StubClient().on(.get, "/a", answer: .ok)
        async let waiting: Void = stub.wait(for: .requests(1), timeout: .seconds(Int64.max))
        // The timer is set meanwhile.
        try await Task.sleep(for: .milliseconds(50))
        _ = Flight { stub.executeRequest(.get(Self.url)) }
        try await waiting
    }

    @Test func `a wait that is over leaves nothing behind`() async {
        let stub = StubClient().on(.get, "/a", answer: .ok)
        for _ in 0..<3 {
            await #expect(throws: StubVerificationError.self) {
                try await stub.wait(for: .requests(1), timeout: .milliseconds(1))
            }
            _ = stub.recorder.wait(for: 1, timeout: .milliseconds(1))
        }
        #expect(stub.recorder.waiterCount == 0)
    }
}
