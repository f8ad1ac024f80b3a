import HTTPCaching
import HTTPEngine
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import HTTPTesting
import Foundation
import HTTPAsync
import HTTPCurl
import Synchronization
import Testing

import HTTPCore
import HTTPMockServer

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The parts of real calls of all kinds. They share their timestamps, so that they add up even on a busy machine.
@Suite(.timeLimit(.minutes(2))) struct CallPartsTests {
    /// `make integration` makes 1,000 calls and prints the figures.
    private static let isLong = ProcessInfo.processInfo.environment["STRAIGHTLINE_PARTS"] != nil

    @Test func `the parts of calls of all kinds add up to their totals`() async throws {
        let kinds = try CallKind.all()
        let calls = Self.isLong ? 1000 : 150
        var tally = PartTally()
        for round in 0..<(calls + kinds.count - 1) / kinds.count {
            for kind in kinds.prefix(calls - round * kinds.count) {
                for outcome in try await kind.run() {
                    let history = try #require(outcome.history, "\(kind.name)")
                    tally.take(history, kind.name)
                }
            }
        }
        for line in tally.misses { Issue.record("\(line)") }
        #expect(tally.count >= calls)
        // Each kind contains the part that it is made for.
        for kind in kinds {
            for part in kind.parts { #expect(tally.kinds[kind.name]?.contains(part) == true, "\(kind.name): \(part)") }
        }
        // Of any kind: libcurl takes the time at which it is ready a moment after it says so. For a thread that is interrupted in
        // between, the start before libcurl's own cannot be told apart.
        #expect(
            kinds.contains { !$0.parts.contains(.starting) && tally.kinds[$0.name]?.contains(.starting) == true })
        if Self.isLong { print(tally.report) }
    }
}

/// The findings in the calls so far.
private struct PartTally {
    private(set) var count = 0
    private(set) var misses: [String] = []
    private(set) var kinds: [String: Set<CallActivity>] = [:]
    private var largestGap = Duration.zero
    private var largestOther = Duration.zero
    private var sums: [CallActivity: Duration] = [:]
    private var total = Duration.zero

    mutating func take(_ history: CallHistory, _ name: String) {
        count += 1
        let bound = max(history.total / 100, .microseconds(50))
        // The measured values, not the segments, which are cut and filled up so that they fit.
        let measured =
            history.attempts.reduce(.zero) { sum, attempt in
                attempt.phases.reduce(sum + attempt.handover) { $0 + $1.end - $1.start }
            } + history.waits.reduce(.zero) { $0 + $1.duration } + history.decoding
        let gap = measured > history.total ? measured - history.total : history.total - measured
        let other = history.segments.filter { $0.activity == .other }.reduce(Duration.zero) { $0 + $1.duration }
        if gap > bound || other > bound || history.total <= .zero {
            misses.append("\(name): \(measured) of \(history.total), \(other) unnamed\n\(history.explanation(of: ""))")
        }
        (largestGap, largestOther) = (max(largestGap, gap), max(largestOther, other))
        total += history.total
        for segment in history.segments {
            sums[segment.activity, default: .zero] += segment.duration
            kinds[name, default: []].insert(segment.activity)
        }
    }

    var report: String {
        let parts = sums.sorted { $0.value > $1.value }.map { "  \($0.key): \($0.value.rounded.text)" }
        return """
            parts: \(count) calls of \(kinds.count) kinds, \(total.rounded.text) in all; \(misses.count) beyond 1 % and 50 µs
            parts: the most that a call's parts differ from its total: \(largestGap); the most without a name: \(largestOther)
            \(parts.joined(separator: "\n"))
            """
    }
}

/// A way to make a call.
private struct CallKind: Sendable {
    let name: String
    /// The parts that occur in at least one of them.
    let parts: [CallActivity]
    let run: @Sendable () async throws -> [Result<Response, HTTPError>]

    init(
        _ name: String, _ parts: CallActivity...,
        run: @escaping @Sendable () async throws -> [Result<Response, HTTPError>]
    ) {
        (self.name, self.parts, self.run) = (name, parts, run)
    }

    /// A blocking call.
    static func blocking(
        _ name: String, _ parts: CallActivity...,
        call: @escaping @Sendable () throws -> Result<Response, HTTPError>
    ) -> CallKind {
        var kind = CallKind(name) { try await withoutBlockingTasks { [try call()] } }
        kind = CallKind(name, parts, kind.run)
        return kind
    }

    private init(
        _ name: String, _ parts: [CallActivity],
        _ run: @escaping @Sendable () async throws -> [Result<Response, HTTPError>]
    ) {
        (self.name, self.parts, self.run) = (name, parts, run)
    }

    static func all() throws -> [CallKind] {
        let server = try MockServer { answer($0) }
        let client = try CurlTransport.plain()
        return try plain(server, client) + bodies(server, client) + secure() + policies(server, client)
            + failures(server, client) + styles(server, client)
    }

    private static func answer(_ request: ReceivedRequest) -> MockResponse {
        switch request.path {
        case "/a": .redirect(to: "/b")
        case "/b": .redirect(to: "/c")
        case "/slow": .text("x").taking(.milliseconds(3))
        case "/busy": .status(.serviceUnavailable)
        case "/large": .data([UInt8](repeating: 7, count: 1 << 20))
        case "/echo": .data(Array(request.body)).header("Content-Encoding", "gzip")
        case "/fresh": .text("x").header("Cache-Control", "max-age=1000")
        case "/stale":
            request.headers.contains("If-None-Match")
                ? .status(.notModified) : .text("x").header("ETag", "\"1\"").header("Cache-Control", "no-cache")
        case "/reset": .fault(.reset(.beforeHead))
        case "/cut": .text("a text that is cut").failing(.reset(.midBody(after: 5)))
        case "/silent": .fault(.stall(.beforeHead))
        default: .text("x")
        }
    }

    private static func plain(_ server: MockServer, _ client: CurlTransport) throws -> [CallKind] {
        [
            .blocking("a new connection", .connecting, .waiting) {
                try CurlTransport.plain().executeRequest(.get(server.url))
            },
            .blocking("a name to resolve", .resolving) {
                try CurlTransport.plain().executeRequest(.get("http://localhost:\(server.port)/"))
            },
            .blocking("a kept connection", .waiting, .finishing) { client.executeRequest(.get(server.url)) },
            .blocking("a slow server", .waiting) { client.executeRequest(.get(server.url("/slow"))) },
            .blocking("two redirects", .waiting) { client.executeRequest(.get(server.url("/a"))) },
        ]
    }

    private static func bodies(_ server: MockServer, _ client: CurlTransport) throws -> [CallKind] {
        let directory = try ScratchDirectory()
        let text = String(repeating: "what is written ten thousand times ", count: 10_000)
        return [
            .blocking("an upload", .sending) {
                client.executeRequest(.post(server.url) |> .body(.data(Data(repeating: 7, count: 1 << 20))))
            },
            .blocking("a download to a file", .receiving, .finishing) {
                client.executeRequest(
                    .get(server.url("/large")) |> .destination(.file("\(directory.path)/\(Int.random(in: 0..<8))")))
            },
            .blocking("a body that is streamed", .receiving) {
                client.executeRequest(
                    .get(server.url("/large"))
                        |> .destination(.stream { _ in BodySink(write: { _ in }, finish: { usleep(500) }) }))
            },
            .blocking("a gzip body", .decompressing) {
                client.executeRequest(.post(server.url("/echo")) |> .text(text) |> .compressed())
            },
            .blocking("decoded JSON", .decoding) {
                client.executeRequest(.get(server.url)).map { response in
                    _ = try? response.decoded(as: [Int].self)
                    return response
                }
            },
        ]
    }

    private static func secure() throws -> [CallKind] {
        let server = try MockServer(security: .tls()) { _ in .text("x") }
        let both = try MockServer(security: .tls(), versions: [.http2, .http1_1]) { _ in .text("x") }
        let proxy = try ConnectProxy()
        let (kept, multiplexed) = (try CurlTransport.trusting(server), try CurlTransport.trusting(both))
        return [
            .blocking("a new TLS connection", .connecting, .securing) {
                try CurlTransport.trusting(server).executeRequest(.get(server.url))
            },
            .blocking("a kept TLS connection", .waiting) { kept.executeRequest(.get(server.url)) },
            .blocking("a new HTTP/2 connection", .securing) {
                try CurlTransport.trusting(both).executeRequest(.get(both.url))
            },
            .blocking("a stream of HTTP/2", .waiting) { multiplexed.executeRequest(.get(both.url)) },
            .blocking("a tunnel", .connecting, .tunneling, .securing) {
                try CurlTransport.trusting(server) { $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port)) }
                    .executeRequest(.get(server.url))
            },
            .blocking("a certificate that is not trusted", .securing) {
                try CurlTransport.plain().executeRequest(.get(server.url))
            },
            CallKind("a batch over HTTP/2", .securing) {
                try await withoutBlockingTasks {
                    try CurlTransport.trusting(both).executeRequests(
                        [MutableRequest](repeating: .get(both.url), count: 4))
                }
            },
        ]
    }

    private static func policies(_ server: MockServer, _ client: CurlTransport) throws -> [CallKind] {
        let backoff = Backoff(base: .milliseconds(2), cap: .milliseconds(4))
        let retrying = client.intercepted(
            by: .retry(RetryPolicy(backoff: backoff), budget: RetryBudget(capacity: 1_000_000)))
        let limited = client.intercepted(by: .rateLimit(1, per: .milliseconds(50)))
        let slowed = client.intercepted(
            by: .retry(RetryPolicy(backoff: backoff), budget: RetryBudget(capacity: 1_000_000)),
            Interceptor { request, next in
                usleep(1000)
                return next.executeRequest(request)
            })
        let bearing = client.intercepted(
            by: .bearer(
                BearerTokens { _ in
                    usleep(1000)
                    return "t0p"
                }))
        let directory = try ScratchDirectory()
        let cached = client.intercepted(by: .cache(.directory(directory.path)))
        return [
            .blocking("retries", .betweenAttempts) { retrying.executeRequest(.get(server.url("/busy"))) },
            .blocking("retries and redirects", .betweenAttempts) {
                retrying.intercepted(by: .log { _ in }).executeRequest(.get(server.url("/busy")))
            },
            .blocking("retries of a broken connection", .betweenAttempts) {
                retrying.executeRequest(.get(server.url("/reset")))
            },
            .blocking("a rate limit", .rateLimit) {
                _ = limited.executeRequest(.get(server.url))
                return limited.executeRequest(.get(server.url))
            },
            .blocking("an interceptor that is a closure", .handingOver) {
                slowed.executeRequest(.get(server.url("/busy")))
            },
            .blocking("a new token", .authorizing) { bearing.executeRequest(.get(server.url)) },
            .blocking("a hit in a cache on disk", .cache) { cached.executeRequest(.get(server.url("/fresh"))) },
            .blocking("a response that is validated", .cache) { cached.executeRequest(.get(server.url("/stale"))) },
        ]
    }

    private static func failures(_ server: MockServer, _ client: CurlTransport) throws -> [CallKind] {
        let port = try MockServer.unusedPort()
        let silent = try MockServer.unansweredPort()
        return [
            .blocking("a refused connection", .connecting) { client.executeRequest(.get("http://127.0.0.1:\(port)/")) },
            .blocking("a name without an address", .resolving) {
                try CurlTransport.plain().executeRequest(.get("http://no.invalid/"))
            },
            .blocking("a server that is silent", .waiting) {
                client.executeRequest(.get(server.url("/silent")) |> .timeout(.milliseconds(20)))
            },
            .blocking("a connection that is not accepted", .connecting) {
                client.executeRequest(.get("http://127.0.0.1:\(silent)/") |> .connectTimeout(.milliseconds(20)))
            },
            .blocking("a reset", .waiting) { client.executeRequest(.get(server.url("/reset"))) },
            .blocking("a body that is cut", .receiving) { client.executeRequest(.get(server.url("/cut"))) },
            .blocking("a file that is not there", .starting) {
                client.executeRequest(.post(server.url) |> .body(.file("/no/such/file")))
            },
            .blocking("a cancelled call", .waiting) {
                let token = CancellationToken()
                let cancelling = client.intercepted(
                    by: .observing { event in if case .phaseFinished = event { token.cancel() } })
                return token.run { cancelling.executeRequest(.get(server.url("/silent"))) }
            },
        ]
    }

    private static func styles(_ server: MockServer, _ client: CurlTransport) throws -> [CallKind] {
        let narrow = Dispatcher(.init(running: 8, runningPerHost: 1))
        let retrying = client.intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .milliseconds(2)))))
        return [
            CallKind("an awaited call", .waiting) { [try await client.outcome(.get(server.url))] },
            CallKind("awaited calls that wait for their host", .hostLimit) {
                try await withThrowingTaskGroup(of: Result<Response, HTTPError>.self) { group in
                    for _ in 0..<4 {
                        group.addTask { try await client.outcome(.get(server.url("/slow")), on: narrow) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            },
            CallKind("an awaited call with retries", .betweenAttempts) {
                [try await retrying.outcome(.get(server.url("/busy")))]
            },
            CallKind("a batch", .connecting) {
                try await withoutBlockingTasks {
                    try CurlTransport.plain().executeRequests([MutableRequest](repeating: .get(server.url), count: 8))
                }
            },
            CallKind("a batch with retries", .betweenAttempts) {
                try await withoutBlockingTasks {
                    retrying.executeRequests([MutableRequest](repeating: .get(server.url("/busy")), count: 4))
                }
            },
        ]
    }
}

extension HTTPClient {
    fileprivate func outcome(_ draft: MutableRequest, on dispatcher: Dispatcher? = nil) async throws -> Result<
        Response, HTTPError
    > {
        do {
            if let dispatcher { return .success(try await send(Request(draft), on: dispatcher)) }
            return .success(try await send(Request(draft)))
        } catch { return .failure(error) }
    }
}

/// On its own thread, so that no task waits.
private func withoutBlockingTasks<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
{
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
