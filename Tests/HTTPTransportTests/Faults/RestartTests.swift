import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Synchronization
import Testing

/// A server that restarts while calls of every style are made.
@Suite(.timeLimit(.minutes(5))) struct RestartTests {
    private static let restarts = 5

    @Test func `a server restart under load fails only the calls that it interrupts`() async throws {
        let server = try RestartingServer()
        let client = try CurlTransport.plain()
        let outcomes = Mutex<[String: Int]>([:])
        let isOver = Mutex(false)
        let callers = EntryStyle.allCases.map { style in
            TestThread {
                var number = 0
                while !isOver.withLock({ $0 }) {
                    number += 1
                    let words = Self.call(style, client, server.url("/\(style)/\(number)"))
                    outcomes.withLock { $0[words, default: 0] += 1 }
                    // A port that refuses does so immediately.
                    if words != "200" { usleep(1000) }
                }
            }
        }
        for round in 1...Self.restarts {
            try server.waitForRequests(50 * round)
            try server.restart()
        }
        try server.waitForRequests(50 * (Self.restarts + 1))
        isOver.withLock { $0 = true }
        for caller in callers { caller.join() }
        let allowed: Set = [
            "200", "connection refused", "connection closedBeforeResponse", "connection broken",
            "truncatedBody contentLength",
        ]
        let seen = outcomes.withLock { $0 }
        #expect(seen.keys.allSatisfy(allowed.contains), "\(seen)")
        #expect(seen["200", default: 0] >= 50)
        for style in EntryStyle.allCases {
            #expect(Self.call(style, client, server.url("/after/\(style)")) == "200")
        }
    }

    /// The outcome, which is an error if the answer is for another request or the call does not end.
    private static func call(_ style: EntryStyle, _ client: CurlTransport, _ url: String) -> String {
        let end = FaultCallEnd()
        guard let request = try? Request(.get(url) |> .timeout(.seconds(5))) else { return "no request" }
        _ = style.begin(request, over: client, beside: request, receive: end.receive, receiveNeighbor: { _ in })
        guard let (result, _) = end.wait() else { return "no end" }
        if let text = try? result.get().text(), !url.hasSuffix(text) { return "an answer to \(text)" }
        return FaultOutcome.errorMessage(for: result)
    }
}

/// A server that keeps its port across restarts.
private final class RestartingServer: Sendable {
    private let server: Mutex<MockServer>
    private let requests = DispatchSemaphore(value: 0)
    private let seen = Mutex(0)
    let port: Int

    init() throws {
        let first = try Self.start(0, requests)
        port = first.port
        server = Mutex(first)
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    func restart() throws {
        server.withLock { $0.stop() }
        let port = port
        // The old listener is closed a moment later.
        let isBack = waited {
            guard let next = try? Self.start(port, requests) else { return false }
            server.withLock { $0 = next }
            return true
        }
        guard isBack else { throw MockServerError.system(call: "bind", address: "127.0.0.1:\(port)", errno: 98) }
    }

    /// Waits until that many requests have arrived in all.
    func waitForRequests(_ count: Int) throws {
        while seen.withLock({ $0 < count }) {
            guard requests.wait(timeout: .now() + 20) == .success else {
                throw Program.Failure(description: "no requests")
            }
            seen.withLock { $0 += 1 }
        }
    }

    private static func start(_ port: Int, _ requests: DispatchSemaphore) throws -> MockServer {
        try MockServer(on: .ipv4(port: port), recording: .none) { request in
            requests.signal()
            return .text(request.path)
        }
    }
}
