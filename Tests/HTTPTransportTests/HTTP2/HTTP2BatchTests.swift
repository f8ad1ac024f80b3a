import HTTPCore
import HTTPCurl
import Testing

/// What many receive at once over one connection.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(1))) struct HTTP2BatchTests {
    /// libcurl before 8.1 forgets to look again at what of a frame does not fit into its buffer: where that happens, most
    /// of these rounds take a second or two. The server sends a file in frames of 8 KiB.
    @Test func `frames larger than a small buffer come without a pause`() throws {
        let directory = try TemporaryDirectory()
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
}
