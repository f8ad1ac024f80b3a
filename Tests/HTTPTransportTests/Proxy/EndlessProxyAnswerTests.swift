import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Synchronization
import Testing

/// A proxy whose answer to CONNECT does not end. libcurl reads all of it in one step.
@Suite(.timeLimit(.minutes(5))) struct EndlessProxyAnswerTests {
    enum Answer: CaseIterable {
        case body, chunks, fields

        var head: String {
            switch self {
            case .body: "HTTP/1.1 407 No\r\nContent-Length: 4611686018427387904\r\n\r\n"
            case .chunks: "HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n"
            case .fields: "HTTP/1.1 200 Yes\r\n"
            }
        }

        /// What comes again and again, 16 KiB or more.
        var part: [UInt8] {
            switch self {
            case .body: [UInt8](repeating: 97, count: 16 << 10)
            case .chunks: Array("4000\r\n".utf8) + [UInt8](repeating: 97, count: 16 << 10) + Array("\r\n".utf8)
            case .fields: Array(String(repeating: "X-Field: 0123456789\r\n", count: 1000).utf8)
            }
        }
    }

    /// The heads that a proxy received.
    private final class Heads: Sendable {
        let all = Mutex<[String]>([])
    }

    private let heads = Heads()

    /// It gives up after 20 seconds.
    private func proxy(_ answer: Answer) throws -> RawServer {
        try RawServer(tls: false) { [heads] connection, _ in
            guard let head = connection.readHead() else { return }
            heads.all.withLock { $0.append(head) }
            guard connection.write(answer.head) else { return }
            let end = ContinuousClock.now + .seconds(20)
            let part = answer.part[...]
            while ContinuousClock.now < end, connection.write(part) {}
        }
    }

    private func client(_ proxy: RawServer) throws -> CurlTransport {
        try .plain { $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port), excluding: ["127.0.0.1"]) }
    }

    private func expectTooLong(_ result: Result<Response, HTTPError>, _ answer: Answer, from proxy: RawServer) {
        let failure = expectConnectionFailure(
            result, .proxy, saying: "api.example.test was not reached",
            "the answer of the proxy 127.0.0.1:\(proxy.port) to CONNECT is longer than 64 KiB")
        #expect(failure?.mayHaveBeenProcessed == false)
        #expect(failure?.proxyStatus == (answer == .fields ? nil : 407))
        let requests = heads.all.withLock { $0.map { $0.prefix { $0 != "\r\n" } } }
        #expect(requests == ["CONNECT api.example.test:443 HTTP/1.1"])
    }

    @Test(arguments: Answer.allCases) func `it ends a blocking call`(answer: Answer) throws {
        let proxy = try proxy(answer)
        let draft = MutableRequest.post("https://api.example.test/") |> .text("x") |> .timeout(.seconds(10))
        expectTooLong(try client(proxy).executeRequest(draft), answer, from: proxy)
    }

    @Test(arguments: Answer.allCases)
    func `it ends an awaited call, and does not hold up another one`(answer: Answer) async throws {
        let proxy = try proxy(answer)
        let other = try MockServer { _ in .text("ok") }
        let client = try client(proxy)
        let held = Task { try await client.send(.get("https://api.example.test/") |> .timeout(.seconds(10))) }
        await suspended { heads.all.withLock { !$0.isEmpty } }
        let response = try await client.send(.get(other.url) |> .timeout(.seconds(10)))
        #expect(response.status == .ok && other.requestCount == 1)
        do {
            _ = try await held.value
            Issue.record("an answer came")
        } catch let error as HTTPError { expectTooLong(.failure(error), answer, from: proxy) }
    }
}
