import Dispatch
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Synchronization
import Testing

/// HTTP/2 with nginx.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct HTTP2Tests {
    @Test func `HTTP/2 is used if the server offers it in the handshake`() throws {
        let origin = try MockServer { _ in .text("hi").header("X-A", "b") }
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, origin: origin)
        let response = try CurlTransport.forTests().send(.get(server.url("/p?q")) |> .header("X-Mark", "1"))
        #expect(response.version == .http2)
        #expect(response.status == .ok)
        #expect(response.reasonPhrase.isEmpty)
        #expect(response.headers["x-a"] == "b")
        #expect(try response.text() == "hi")
        let request = try server.origin.takeRequest()
        #expect(request.headers["X-Protocol"] == "HTTP/2.0")
        #expect(request.headers["X-Mark"] == "1")
        #expect(request.headers["Host"] == "localhost:\(server.port)")
        #expect(request.target == "/p?q")
    }

    @Test func `bodies are uploaded without a length, and downloaded to a file`() throws {
        let content = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
        let origin = try MockServer { .data($0.body) }
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, origin: origin)
        let directory = try ScratchDirectory()
        let draft = MutableRequest.post(server.url()) |> .stream { .data(content) }
        let response = try CurlTransport.forTests().send(draft |> .destination(.file(directory.file("a"))))
        let avoidsHTTP2 = (7...13).contains { CurlTransport.engineVersion.hasPrefix("8.\($0).") }
        #expect(response.version == (avoidsHTTP2 ? .http1_1 : .http2))
        #expect(response.bodyByteCount == 2_000_000)
        #expect(try origin.takeRequest().body.elementsEqual(content))
        #expect(try directory.read("a") == Array(content))
    }

    @Test(arguments: [NginxServer.Listening.tlsWithHTTP2, .tls], [64 << 20, nil] as [Int64?])
    func `a body that is too large for the server ends with its response`(
        listening: NginxServer.Listening, length: Int64?
    ) throws {
        let server = try NginxServer(.good, listening: listening)
        let client = try CurlTransport.forTests()
        let draft = MutableRequest.post(server.url()) |> .timeout(.seconds(20))
        let response = try client.send(draft |> .stream(length: length) { .zeros(64 << 20) })
        #expect(response.status == 413)
        #expect(response.metrics.bytesSent < 64 << 20)
        #expect(server.origin.requestCount == 0)
        #expect(try client.send(.get(server.url())).status == .ok)
    }

    @Test func `a body shorter than its length has its own error`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2)
        let client = try CurlTransport.forTests()
        let result = client.executeRequest(.post(server.url()) |> .stream(length: 100) { .zeros(99) })
        guard case .failure(.body(let failure)) = result else { throw Program.Failure(description: "\(result)") }
        #expect(failure.reason == .sourceTooShort(expected: 100, actual: 99))
        #expect(server.origin.requestCount == 0)
        #expect(try client.send(.get(server.url())).status == .ok)
    }

    @Test func `a request or a configuration can require HTTP/1.1`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2)
        let byRequest = try CurlTransport.forTests().send(.get(server.url()) |> .version(.http1))
        let byConfiguration = try CurlTransport.forTests { $0.version = .http1 }.send(.get(server.url()))
        #expect(byRequest.version == .http1_1)
        #expect(byConfiguration.version == .http1_1)
        #expect(server.origin.requests.map { $0.headers["X-Protocol"] } == ["HTTP/1.1", "HTTP/1.1"])
    }

    @Test func `without HTTP/2 on the server HTTP/1.1 is used`() throws {
        let server = try NginxServer(.good)
        #expect(try CurlTransport.forTests().send(.get(server.url())).version == .http1_1)
    }

    @Test func `plain http uses HTTP/1.1 by default`() throws {
        let server = try MockServer { _ in .text("hello") }
        #expect(try CurlTransport.plain().send(.get(server.url("/"))).version == .http1_1)
        let request = try server.takeRequest()
        #expect(!request.headers.contains("Upgrade"))
        #expect(!request.headers.contains("HTTP2-Settings"))
    }

    @Test func `a body of a megabyte is transferred in both directions`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, origin: MockServer { .data($0.body) })
        let body = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 9)) }
        let response = try CurlTransport.forTests().send(.post(server.url()) |> .data(Data(body)))
        #expect(response.version == .http2)
        #expect(response.body.elementsEqual(body))
        let request = try server.origin.takeRequest()
        #expect(request.body == body)
        #expect(request.headers["Content-Length"] == "\(body.count)")
    }

    /// What libcurl reads for one stream of a connection it reads for all.
    @Test func `a slow reader gets all of a body, however much other calls receive meanwhile`() async throws {
        let directory = try ScratchDirectory()
        let (large, small) = (96 << 20, 1 << 20)
        try directory.writeZeros(large, to: "large")
        try directory.writeZeros(small, to: "small")
        let server = try NginxServer(
            .good, listening: .tlsWithHTTP2,
            settings: ["large", "small"].map { "location = /\($0) { root \(directory.path); }" })
        let client = try CurlTransport.forTests()
        var parts = client.stream(.get(server.url("/large")), as: .chunks).makeAsyncIterator()
        var count = try await parts.next()?.count ?? 0
        for _ in 0..<200 { #expect(try await client.send(.get(server.url("/small"))).bodyByteCount == small) }
        while let part = try await parts.next() { count += part.count }
        #expect(count == large)
    }

    @Test func `successive and concurrent requests are answered`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, origin: MockServer { .text($0.target) })
        let client = try CurlTransport.forTests()
        let drafts = (0..<20).map { MutableRequest.post(server.url("/\($0)")) }
        let first = try drafts[..<3].map { try client.send($0) }
        let responses = first + (try client.executeRequests(drafts, maxConcurrent: 5).map { try $0.get() })
        #expect(try responses.map { try $0.text() } == (Array(0..<3) + Array(0..<20)).map { "/\($0)" })
        #expect(responses.allSatisfy { $0.version == .http2 && $0.metrics.attemptCount == 1 })
        #expect(server.origin.requestCount == 23)
    }

    @Test func `successive requests share a connection`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2)
        let client = try CurlTransport.forTests()
        let ports = try (0..<3).map { _ in try client.send(.get(server.url())).metrics.localPort }
        #expect(Set(ports).count == 1)
    }

    @Test func `if the server ends its connection after every request, a new one is used`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, settings: ["keepalive_requests 1"])
        let client = try CurlTransport.forTests()
        for index in 0..<5 { #expect(try client.send(.post(server.url("/\(index)")) |> .text("x")).status == .ok) }
        #expect(server.origin.requests.map(\.target) == (0..<5).map { "/\($0)" })
    }

    @Test func `HEAD and 204 have no body`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2)
        let client = try CurlTransport.forTests()
        let head = try client.send(.head(server.url()))
        #expect(head.headers["Content-Length"] == "5")
        #expect(head.body.isEmpty)
        server.origin.enqueue(MockResponse(status: .noContent))
        let empty = try client.send(.delete(server.url()))
        #expect(empty.status == .noContent)
        #expect(empty.body.isEmpty)
        #expect(server.origin.requests.map(\.method) == [.head, .delete])
    }

    @Test func `eight threads each get their own responses`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, origin: MockServer { .text($0.target) })
        let client = try CurlTransport.forTests()
        let wrong = Mutex<[String]>([])
        let base = server.url("/")
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for index in 0..<10 {
                let response = client.executeRequest(.get("\(base)\(thread)/\(index)")).response
                let isRight = response?.version == .http2 && (try? response?.text()) == "/\(thread)/\(index)"
                if !isRight { wrong.withLock { $0.append("\(thread)/\(index)") } }
            }
        }
        #expect(wrong.withLock { $0 }.isEmpty)
        #expect(server.origin.requestCount == 80)
    }
}
