@testable import HTTPCaching
import HTTPEngine
import HTTPPolicies
import HTTPSupport
import HTTPAsync
import HTTPCurl
import HTTPTesting
import Synchronization
import Testing

import HTTPCore
import HTTPMockServer
import HTTPObservability
import HTTPFoundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Over real connections.
extension PlantedCause {
    static var real: [PlantedCause] { servers + connections + bodies + dispatchers + stores }

    private static let servers = [
        PlantedCause("real: a server that thinks", .segment(.waiting), "to answer") {
            let server = try MockServer { _ in .text("x").latency(.milliseconds(300)) }
            return try CurlTransport.plain().executeRequest(.get(server.url))
        },
        PlantedCause("real: a server that never answers", .segment(.waiting), "to answer") {
            let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
            return try CurlTransport.plain().executeRequest(.get(server.url) |> .timeout(.milliseconds(300)))
        },
        PlantedCause("real: a refusal that is repeated", .retries(count: 1), "503") {
            let server = try MockServer()
            server.enqueue(.status(.serviceUnavailable).latency(.milliseconds(300)), .text("x"))
            return try CurlTransport.plain().intercepted(by: .retry(RetryPolicy(limit: 1))).executeRequest(
                .get(server.url))
        },
        PlantedCause("real: a rate limit", .segment(.rateLimit), "rate limit") {
            let server = try MockServer { _ in .text("x") }
            let client = try CurlTransport.plain().intercepted(by: .rateLimit(1, per: .milliseconds(300)))
            _ = client.executeRequest(.get(server.url))
            return client.executeRequest(.get(server.url))
        },
        PlantedCause("real: a slow redirect", .redirects(count: 1), "1 redirect") {
            let server = try MockServer { request in
                request.path == "/b" ? .text("x") : .redirect(to: "/b").latency(.milliseconds(300))
            }
            return try CurlTransport.plain().executeRequest(.get(server.url("/a")))
        },
    ]

    private static let connections = [
        PlantedCause("real: a full queue for connections", .segment(.connecting), "connecting to", "queue") {
            let port = try MockServer.unansweredPort()
            return try CurlTransport.plain().executeRequest(
                .get("http://127.0.0.1:\(port)/") |> .connectTimeout(.milliseconds(300)))
        },
        PlantedCause("real: a first address that is silent", .segment(.connecting), "2 addresses", "127.0.0.2") {
            let port = try MockServer.unansweredPort()
            let client = try CurlTransport.plain {
                $0.addressOverrides = ["api.example.test": ["127.0.0.1", "127.0.0.2"]]
            }
            return client.executeRequest(
                .get("http://api.example.test:\(port)/") |> .connectTimeout(.milliseconds(600)))
        },
        PlantedCause("real: a slow handshake", .segment(.securing), "TLS handshake") {
            let server = try MockServer(security: .tls()) { _ in .text("x") }
            let relay = try slowRelay(to: server)
            return try CurlTransport.trusting(server).executeRequest(.get("https://localhost:\(relay.port)/"))
        },
        PlantedCause("real: a slow proxy", .segment(.tunneling), "through the proxy 127.0.0.1") {
            let server = try MockServer(security: .tls()) { _ in .text("x") }
            let proxy = try ConnectionServer { client in
                _ = client.readSome()
                usleep(300_000)
                client.write(Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
                guard let end = LoopbackSocket.connecting(to: server.port) else { return }
                LoopbackSocket.relay(client, end)
            }
            return try CurlTransport.trusting(server) {
                $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port))
            }.executeRequest(.get("https://localhost:\(server.port)/"))
        },
    ]

    /// Passes on nothing for the first 300 ms.
    private static func slowRelay(to server: MockServer) throws -> ConnectionServer {
        let port = server.port
        return try ConnectionServer { client in
            usleep(300_000)
            guard let end = LoopbackSocket.connecting(to: port) else { return }
            LoopbackSocket.relay(client, end)
        }
    }

    private static let bodies = [
        PlantedCause("real: a server that drips", .segment(.receiving), "receiving") {
            let server = try MockServer { _ in
                .data([UInt8](repeating: 7, count: 30_000)).failing(.trickle(bytes: 5000, every: .milliseconds(60)))
            }
            return try CurlTransport.plain().executeRequest(.get(server.url))
        },
        PlantedCause("real: a big upload on a slow line", .segment(.sending), "sending 24.0 MB") {
            let server = try MockServer { _ in .text("x") }
            server.conditions = .bandwidth(receiving: 40_000_000)
            return try CurlTransport.plain().executeRequest(
                .post(server.url) |> .body(.data(Data(repeating: 7, count: 24_000_000))))
        },
        PlantedCause("real: a source that is slow", .segment(.sending), "sending") {
            let server = try MockServer { _ in .text("x") }
            let body = RequestBody.stream(length: 40) {
                let left = Mutex(4)
                return BodySource { room in
                    guard
                        left.withLock({
                            $0 -= 1; return $0 >= 0
                        })
                    else { return 0 }
                    usleep(80_000)
                    for place in 0..<10 { room[place] = 7 }
                    return 10
                }
            }
            return try CurlTransport.plain().executeRequest(.post(server.url) |> .body(body))
        },
    ]

    private static let dispatchers = [
        PlantedCause("real: the queue of a dispatcher", .segment(.queued), "queue of the dispatcher") {
            try queued(Dispatcher(.init(running: 1, runningPerHost: 8)), around: { $0 })
        },
        PlantedCause("real: the limit of calls to a host", .segment(.hostLimit), "calls to 127.0.0.1") {
            try queued(Dispatcher(.init(running: 8, runningPerHost: 1)), around: { $0 })
        },
        PlantedCause(
            "real: the queue of a dispatcher, behind retries", .segment(.queued), "queue of the dispatcher"
        ) {
            try queued(Dispatcher(.init(running: 1, runningPerHost: 8))) { $0.intercepted(by: .retry()) }
        },
    ]

    /// Two concurrent calls, the first of which is answered 300 ms after the second was submitted: the outcome of the
    /// second. No task waits in between: with many other tests it might be resumed only after the first has timed out.
    private static func queued(
        _ dispatcher: Dispatcher, around: (any HTTPClient) -> any HTTPClient
    ) throws -> Result<Response, HTTPError> {
        let (arrival, gate, end) = (Signal(), Signal(), Signal())
        let server = try MockServer { request in
            if request.path == "/slow" {
                arrival.fire()
                _ = gate.wait()
            }
            return .text("x")
        }
        let client = around(try CurlTransport.plain())
        client.executeRequest(.get(server.url("/slow")), callbackQueue: .immediate, on: dispatcher) { _ in }
        _ = arrival.wait()
        return withExtendedLifetime(server) {
            let box = Outcome()
            client.executeRequest(.get(server.url("/fast")), callbackQueue: .immediate, on: dispatcher) { result in
                box.value.withLock { $0 = result }
                end.fire()
            }
            usleep(300_000)
            gate.fire()
            _ = end.wait()
            return box.value.withLock { $0 }
        }
    }

    private static let stores = [
        PlantedCause(
            "real: an awaited read of a cache's disk", .segment(.cache), "on the cache's store", "Check the disk"
        ) {
            let server = try MockServer { _ in .text("x") }
            let client = try CurlTransport.plain().intercepted(by: .cache(HTTPCache(SlowStore(.milliseconds(300)))))
            let (end, box) = (Signal(), Outcome())
            client.executeRequest(.get(server.url), callbackQueue: .immediate) { result in
                box.value.withLock { $0 = result }
                end.fire()
            }
            _ = end.wait()
            return box.value.withLock { $0 }
        }
    ]

    private final class Outcome: Sendable { let value = Mutex<Result<Response, HTTPError>>(.failure(.cancelled(nil))) }
}

/// A store on a disk that takes so long for each look-up.
private final class SlowStore: CacheStore {
    private let store = MemoryCacheStore(capacity: 1 << 20)
    private let delay: Duration

    init(_ delay: Duration) { self.delay = delay }

    var isImmediate: Bool { false }

    func entries(for key: CacheKey) -> [CacheEntry] {
        usleep(UInt32(delay / .microseconds(1)))
        return store.entries(for: key)
    }

    var largestBody: Int64 { store.largestBody }
    var problem: String? { nil }
    func insert(_ response: CachedResponse, _ body: Data, of flight: CacheFlight?) -> CacheEntry? {
        store.insert(response, body, of: flight)
    }
    func makeWriter(for key: CacheKey) -> (any CacheWriter)? { store.makeWriter(for: key) }
    func replace(_ old: CacheEntry, by new: CachedResponse, of flight: CacheFlight?) -> CacheEntry? {
        store.replace(old, by: new, of: flight)
    }
    func remove(_ response: CachedResponse) { store.remove(response) }
    func removeAll(for key: CacheKey, keepsPin: Bool) { store.removeAll(for: key, keepsPin: keepsPin) }
    func removeAll() { store.removeAll() }
    func setPinned(_ isPinned: Bool, for key: CacheKey) -> Bool { store.setPinned(isPinned, for: key) }
    func list() -> [HTTPCache.Entry] { store.list() }
}
