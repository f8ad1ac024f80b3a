import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import TestSupport
import Testing

/// The events and the result of a call do not depend on the driver of its policies. `make soak` takes a thousand
/// scenarios, `make test` the first 200 of them.
@Suite(.timeLimit(.minutes(3))) struct PolicyDriversTests {
    private static let stacks = 20
    /// A sanitizer slows them, and the other tests, by a factor of ten.
    private static let isSanitized = ProcessInfo.processInfo.environment["STRAIGHTLINE_SANITIZED"] != nil
    private static let scenarios = (0..<(isSanitized ? 100 : Soak.count(1000, or: 200))).map {
        PolicyScenario($0, stacks: stacks)
    }

    @Test func `the same scenarios have the same result with every driver`() async throws {
        let names = ["blocking", "simulated", "batch", "awaited"]
        let traces = names.map { PolicyTraces($0, Self.scenarios) }
        let server = try MockServer(recording: .none) { request in
            traces.lazy.compactMap { $0.trace(of: request.path) }.first?.answer() ?? .status(.notFound)
        }
        try await makeBlockingCalls(traces[0], server) { CurlTransport() }
        try await makeBlockingCalls(traces[1], server) { SimulatedTime().around(CurlTransport()) }
        try await makeBatches(traces[2], server)
        try await makeAwaitedCalls(traces[3], server)
        for (index, scenario) in Self.scenarios.enumerated() {
            let lines = traces.map { $0.all[index].lines }
            for (name, other) in zip(names, lines) {
                #expect(other == lines[0], "\(name), scenario \(scenario)")
            }
        }
        guard !Self.isSanitized else { return }
        // They are as varied as intended.
        #expect(Set(traces[0].all.map(\.lines)).count > Self.scenarios.count * 3 / 10)
        let all = traces[0].all.flatMap(\.lines)
        for words in [
            "cancelled", "timedOut", "truncatedBody", "unacceptableStatus", "pause interrupted", "503", "401",
        ] {
            #expect(all.contains { $0.contains(words) }, "\(words)")
        }
    }

    private func clients(_ traces: PolicyTraces, around base: () -> any HTTPClient) -> [any HTTPClient] {
        (0..<Self.stacks).map { base().intercepted(by: Interceptor(traces.policies($0))) }
    }

    /// On 16 threads.
    private func makeBlockingCalls(
        _ traces: PolicyTraces, _ server: MockServer, around base: () -> any HTTPClient
    ) async throws {
        let clients = clients(traces, around: base)
        let requests = try Self.scenarios.map { try $0.request(to: server, traces.driver) }
        await withTaskGroup { group in
            for first in 0..<16 {
                group.addTask {
                    await onThread {
                        for index in stride(from: first, to: requests.count, by: 16) {
                            let trace = traces.all[index]
                            CancellationToken.$current.withValue(trace.token) {
                                let client = clients[trace.scenario.stack]
                                trace.note("outcome", client.executeRequest(requests[index]))
                            }
                        }
                    }
                }
            }
        }
    }

    /// One batch for each stack, and one for each call that is cancelled.
    private func makeBatches(_ traces: PolicyTraces, _ server: MockServer) async throws {
        let clients = clients(traces) { CurlTransport() }
        let requests = try Self.scenarios.map { try $0.request(to: server, traces.driver) }
        await onThread {
            for stack in 0..<Self.stacks {
                let mine = traces.all.filter { $0.scenario.stack == stack }
                let lasting = mine.filter { $0.scenario.cancellation == .never }
                let others = mine.filter { $0.scenario.cancellation != .never }
                for batch in [lasting] + others.map({ [$0] }) {
                    batch.first?.token.run {
                        clients[stack].executeRequests(
                            batch.map { requests[$0.scenario.index] }, maxConcurrent: 16
                        ) { index, result in batch[index].note("outcome", result) }
                    }
                }
            }
        }
    }

    private func makeAwaitedCalls(_ traces: PolicyTraces, _ server: MockServer) async throws {
        let clients = clients(traces) { CurlTransport() }
        let requests = try Self.scenarios.map { try $0.request(to: server, traces.driver) }
        let dispatcher = Dispatcher(.init(running: 64, runningPerHost: 64))
        await withTaskGroup { group in
            for (trace, request) in zip(traces.all, requests) {
                group.addTask {
                    let outcome = await CancellationToken.$current.withValue(trace.token) {
                        do throws(HTTPError) {
                            let client = clients[trace.scenario.stack]
                            return Result<Response, HTTPError>.success(
                                try await client.send(request, on: dispatcher))
                        } catch { return .failure(error) }
                    }
                    trace.note("outcome", outcome)
                }
            }
        }
    }
}
