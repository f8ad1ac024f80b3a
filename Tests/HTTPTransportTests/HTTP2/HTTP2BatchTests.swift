import HTTPObservability
import HTTPPolicies
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Concurrent responses over one connection.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct HTTP2BatchTests {
    /// libcurl before 8.1 forgets the part of a frame that does not fit into its buffer: most of these rounds then take
    /// a second or two. The server sends a file in frames of 8 KiB.
    @Test func `frames larger than a small buffer arrive without a pause`() throws {
        let directory = try ScratchDirectory()
        try directory.write(String(repeating: "a", count: 12_000), to: "body")
        let server = try NginxServer(
            .good, listening: .tlsWithHTTP2, settings: ["location = /body { root \(directory.path); }"])
        let client = try CurlTransport.forTests()
        let request = try Request(.get(server.url("/body")))
        let times = try (0..<9).map { _ throws in
            let start = ContinuousClock.now
            for result in client.executeRequests(Array(repeating: request, count: 40), maxConcurrent: 40) {
                let response = try result.get()
                #expect(response.version == .http2 && response.body.count == 12_000)
            }
            return start.duration(to: .now)
        }
        #expect(times.sorted()[times.count / 2] < .seconds(1))
    }

    private static let policies: [Interceptor] = [
        .log { _ in }, .retry(), .rateLimit(10_000, per: .seconds(1), burst: 100),
        .bearer(BearerTokens("token") { _ in "token" }),
    ]
    private static let dispatcher = Dispatcher(.init(running: 100, runningPerHost: 100))

    @Test func `a request limited to HTTP/1.1 does not go over a kept connection of HTTP/2`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2)
        let client = try CurlTransport.forTests()
        let versions = try [VersionPolicy.automatic, .http1].map { policy in
            let request = try Request(.get(server.url()) |> .version(policy))
            return try client.executeRequests([request])[0].get().version
        }
        #expect(versions == [.http2, .http1_1])
    }

    @Test func `a batch through policies to a new origin has one connection`() throws {
        let origin = try MockServer { .text($0.path) }
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, origin: origin)
        let requests = try (0..<40).map { try Request(.get(server.url("/\($0)"))) }
        let results = try CurlTransport.forTests().intercepted(by: Interceptor(Self.policies)).executeRequests(requests)
        let texts = try results.map { try $0.get().text() }
        #expect(texts == (0..<40).map { "/\($0)" })
        #expect(try Set(results.map { try $0.get().metrics.localPort }).count == 1)
        #expect(origin.requestCount == 40)
    }

    @Test func `awaited calls through policies to a new origin have one connection`() async throws {
        let origin = try MockServer { .text($0.path) }
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, origin: origin)
        let client = try CurlTransport.forTests().intercepted(by: Interceptor(Self.policies))
        let ports = try await withThrowingTaskGroup { group in
            for index in 0..<40 {
                let url = server.url("/\(index)")
                group.addTask { try await client.send(.get(url), on: Self.dispatcher).metrics.localPort }
            }
            return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
        }
        #expect(ports.count == 1)
        #expect(origin.requestCount == 40)
    }
}
