import HTTPCaching
import HTTPSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import HTTPURLSession
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls of every style that share a cache, over every engine.
@Suite(.timeLimit(.minutes(5))) struct SharedCacheTests {
    private let directory: ScratchDirectory

    init() throws { directory = try ScratchDirectory() }

    private func caches() -> [HTTPCache] { [.memory(megabytes: 8), .directory(directory.file("\(UUID())"))] }

    private func server(_ engine: FaultEngine, _ handler: @escaping MockServer.Handler) throws -> MockServer {
        var tls = MockServer.TLS()
        tls.authority = FaultServer.authority
        return try MockServer(
            security: engine.isTLS ? .tls(tls) : .none,
            versions: engine.isHTTP2 ? [.http2] : [.http1_1], handler: handler)
    }

    @Test(arguments: FaultEngine.allCases)
    func `calls of all styles use a response that is stale at once, and it is validated`(engine: FaultEngine) throws {
        for cache in caches() {
            let server = try server(engine) { request in
                let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=0, stale-while-revalidate=60"]
                guard request.headers["If-None-Match"] == nil else { return .status(.notModified, headers: headers) }
                return MockResponse(headers: headers, body: Array("a".utf8))
            }
            let client = try engine.makeClient().intercepted(by: .cache(cache))
            let request = try Request(.get(server.url("/a")))
            let results = Notes<Result<Response, HTTPError>>()
            // In waves, so that calls find exchanges that begin, run, are being stored and have ended.
            for wave in 1...8 {
                for style in EntryStyle.allCases + EntryStyle.allCases {
                    _ = style.begin(request, over: client, beside: request, receive: results.note) { _ in }
                }
                #expect(waited { results.all.count == wave * 2 * EntryStyle.allCases.count })
            }
            #expect(try results.all.allSatisfy { try $0.get().text() == "a" })
            // Most were answered by the cache, and what was stored was validated.
            #expect(server.requests.count { $0.headers["If-None-Match"] == nil } < 10)
            // In the background, for which no result waits.
            #expect(waited { server.requests.contains { $0.headers["If-None-Match"] == "\"1\"" } })
        }
    }

    @Test func `a response that varies by User-Agent is for clients of the same, also if no request sets it`() throws {
        for cache in caches() {
            let server = try MockServer { request in
                .text(request.headers["User-Agent"] ?? "none").header("Cache-Control", "max-age=60")
                    .header("Vary", "User-Agent")
            }
            func client(_ userAgent: String?) throws -> any HTTPClient {
                var configuration = CurlConfiguration()
                configuration.userAgent = userAgent
                return try CurlTransport(configuration).intercepted(by: .cache(cache))
            }
            let session = try URLSessionTransport(.ephemeral, userAgent: "A").intercepted(by: .cache(cache))
            let clients = try [client("A"), client("B"), client(nil), client("A"), session, session]
            let texts = try clients.map { try $0.send(.get(server.url("/a"))).text() }
            #expect(texts == ["A", "B", "none", "A", "A", "A"])
            // Whoever trusts others asks anew, whatever its name.
            #expect(server.requestCount == 4)
            let named = try client("B").send(.get(server.url("/a")) |> .header("User-Agent", "A"))
            #expect(try named.text() == "A" && server.requestCount == 4)
        }
    }

    /// The first response never ends.
    enum Endless: CaseIterable, Sendable {
        case neverStored, partlyStored, forThisRequestOnly, storable, withoutHead

        var response: MockResponse {
            let body = MockResponse.text("first line\nsecond line\n").failing(.stall(.midBody(after: 11)))
            switch self {
            case .neverStored: return body.header("Cache-Control", "no-store")
            case .partlyStored: return body.header("Cache-Control", "no-cache")
            case .forThisRequestOnly: return body.header("Cache-Control", "max-age=60").header("Vary", "*")
            case .storable: return body.header("Cache-Control", "max-age=60")
            case .withoutHead: return MockResponse.text("").failing(.stall(.beforeHead))
            }
        }
    }

    /// For each kind of response, since the others follow one for two seconds before they give it up: all of them beside
    /// each other.
    @Test(arguments: [FaultEngine.http1, .http2TLS, .urlSession])
    func `a response that does not end holds no call of another`(engine: FaultEngine) throws {
        let scenes = try Endless.allCases.map { try Scene($0, engine, self) }
        for scene in scenes { try scene.beginFirst() }
        let start = ContinuousClock.now
        for scene in scenes { try scene.beginSecond() }
        for scene in scenes { try scene.checkSecond() }
        #expect(.now - start < .seconds(10))
        for scene in scenes { scene.cancelFirst() }
    }

    /// For each style a page whose first response never ends, and another call for it.
    private final class Scene {
        private let endless: Endless
        private let server: MockServer
        private let client: any HTTPClient
        private let visited = Locked<Set<String>>([])
        private let first = Notes<Result<Response, HTTPError>>()
        private let second = Notes<Result<Response, HTTPError>>()
        private let paths = EntryStyle.allCases.map { "/\($0)" }
        private var cancels: [@Sendable () -> Void] = []

        init(_ endless: Endless, _ engine: FaultEngine, _ tests: SharedCacheTests) throws {
            self.endless = endless
            server = try tests.server(engine) { [visited] request in
                let isFirst = visited.withLock { $0.insert(request.path).inserted }
                return isFirst && request.path != "/other"
                    ? endless.response : .text("a").header("Cache-Control", "max-age=60")
            }
            client = try engine.makeClient().intercepted(by: .cache(.memory(megabytes: 8)))
        }

        private func begin(_ style: EntryStyle, _ path: String, _ receive: @escaping EntryStyle.Receiver) throws
            -> @Sendable () -> Void
        {
            let request = try Request(.get(server.url(path)) |> .timeout(.seconds(30)))
            let neighbor = try Request(.get(server.url("/other")))
            return style.begin(request, over: client, beside: neighbor, receive: receive, receiveNeighbor: { _ in })
        }

        func beginFirst() throws {
            cancels = try paths.map { try begin(.blocking, $0, first.note) }
            #expect(waited { visited.withLock { $0.isSuperset(of: paths) } }, "\(endless)")
        }

        func beginSecond() throws {
            for (style, path) in zip(EntryStyle.allCases, paths) { _ = try begin(style, path, second.note) }
        }

        func checkSecond() throws {
            #expect(waited { second.all.count == paths.count }, "\(endless)")
            #expect(try second.all.allSatisfy { try $0.get().text() == "a" }, "\(endless)")
            for path in paths { #expect(server.requests.count { $0.path == path } == 2, "\(endless)") }
            #expect(first.all.isEmpty, "\(endless)")
        }

        func cancelFirst() {
            for cancel in cancels { cancel() }
            #expect(waited { first.all.count == paths.count }, "\(endless)")
        }
    }

    @Test(arguments: [FaultEngine.http1, .http2TLS], [Endless.storable, .neverStored])
    func `each stream of one URL gets its first line at once`(engine: FaultEngine, endless: Endless) throws {
        let server = try server(engine) { _ in endless.response }
        let client = try engine.makeClient().intercepted(by: .cache(.memory(megabytes: 8)))
        let lines = Notes<String>()
        let destination = BodyDestination.stream { start in
            BodySink(write: { lines.note(String(decoding: $0, as: UTF8.self)) })
        }
        let request = try Request(.get(server.url("/a")) |> .destination(destination))
        let start = ContinuousClock.now
        let cancels = EntryStyle.allCases.enumerated().map { number, style in
            let cancel = style.begin(
                request, over: client, beside: request, receive: { _ in }, receiveNeighbor: { _ in })
            #expect(waited { lines.all.count >= number + 1 })
            return cancel
        }
        #expect(.now - start < .seconds(10))
        for cancel in cancels { cancel() }
    }
}
