import Dispatch
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Synchronization
import Testing

/// HTTP/2 between the server and libcurl.
@Suite(.enabled(if: Needs.http2, "\(Needs.http2Advice)"), .timeLimit(.minutes(5))) struct MockServerHTTP2Tests {
    private func server(
        _ http2: MockServer.HTTP2 = .init(), _ handler: MockServer.Handler? = { _ in .text("hello") }
    ) throws -> MockServer {
        try MockServer(security: .tls(), versions: [.http2, .http1_1], http2: http2, handler: handler)
    }

    @Test func `a client that offers it gets HTTP/2, and the request is recorded with its stream`() throws {
        let server = try server { _ in .text("hi").header("X-Answer", "b").trailer("X-Sum", "7") }
        let client = try CurlTransport.trusting(server)
        for path in ["/a?b=c", "/d"] {
            let response = try client.send(.post(server.url(path)) |> .text("body") |> .header("X-Mark", "1"))
            #expect(response.version == .http2)
            #expect(response.headers["x-answer"] == "b")
            #expect(response.trailers["x-sum"] == "7")
            #expect(try response.text() == "hi")
        }
        #expect(server.requests.map(\.target) == ["/a?b=c", "/d"])
        #expect(server.requests.map(\.stream) == [1, 3])
        #expect(server.requests.map(\.index) == [0, 1])
        #expect(server.connectionCount == 1)
        let request = try #require(server.requests.first)
        #expect(request.version == "HTTP/2")
        #expect(request.method == .post)
        #expect(request.text == "body")
        #expect(request.headers["Host"] == "127.0.0.1:\(server.port)")
        #expect(request.headers["X-Mark"] == "1")
        #expect(request.tls?.negotiatedProtocol == "h2")
        #expect(String(decoding: request.head, as: UTF8.self).contains(":method: POST\r\n"))
        #expect(server.protocolViolations.isEmpty)
    }

    @Test func `when a connection is full, another one is opened`() throws {
        let arrived = Mutex(0)
        let all = DispatchSemaphore(value: 0)
        let server = try server(.init(maxConcurrentStreams: 2)) { request in
            guard request.path != "/first" else { return .text("ok") }
            // None ends before all have come: on one connection only two would.
            let count = arrived.withLock { count in
                count += 1
                return count
            }
            if count == 5 { for _ in 0..<5 { all.signal() } }
            return all.wait(timeout: .now() + 20) == .success ? .text("ok") : .text("alone")
        }
        let client = try CurlTransport.trusting(server)
        // From here on the limit of the connection is known.
        _ = try client.executeRequests([.get(server.url("/first"))])[0].get()
        let results = client.executeRequests((1...5).map { MutableRequest.get(server.url("/\($0)")) })
        for result in results { #expect(try result.get().text() == "ok") }
        let streams = Dictionary(grouping: server.requests.dropFirst(), by: \.connection).mapValues(\.count)
        #expect(streams.values.reduce(0, +) == 5 && streams.values.allSatisfy { $0 <= 2 }, "\(streams)")
        // libcurl opens one for each request that finds none with room.
        #expect((3...5).contains(server.connectionCount), "\(server.connectionCount)")
        #expect(server.protocolViolations.isEmpty)
    }

    @Test func `a client that insists on HTTP/1.1 gets it`() throws {
        let server = try server()
        let response = try CurlTransport.trusting(server).send(.get(server.url("/")) |> .version(.http1))
        #expect(response.version == .http1_1)
        #expect(server.requests.map(\.version) == ["HTTP/1.1"])
    }

    @Test func `an HTTP/2-only server refuses other clients`() throws {
        let server = try MockServer(security: .tls(), versions: [.http2]) { _ in .text("hello") }
        let result = try CurlTransport.trusting(server).executeRequest(.get(server.url("/")) |> .version(.http1))
        guard case .failure = result else { throw HTTPTestFailure() }
        #expect(server.requestCount == 0)
        let plain = try MockServer(versions: [.http2])
        let client = try RawClient(plain)
        client.get("/")
        _ = client.readToEnd()
        #expect(plain.protocolViolations.map(\.kind) == [.malformed])
    }

    @Test func `streams of one connection run concurrently`() throws {
        let count = 16
        let waiting = Mutex(0)
        let allAreHere = DispatchSemaphore(value: 0)
        let server = try MockServer(versions: [.http2]) { request in
            let place = waiting.withLock { waiting in
                waiting += 1
                return waiting
            }
            if place == count { for _ in 0..<count { allAreHere.signal() } }
            // Each waits for all the others: if they ran one after the other, none would get here.
            let isInTime = allAreHere.wait(timeout: .now() + 20) == .success
            return .text(isInTime ? request.path : "alone")
        }
        let output = try RawHTTP2.get(server, (0..<count).map { "/\($0)" })
        #expect(output.sorted() == (0..<count).map { "/\($0)" }.sorted())
        #expect(server.connectionCount == 1)
        #expect(Set(server.requests.map(\.stream)).count == count)
        #expect(server.requests.allSatisfy { $0.version == "HTTP/2" })
    }

    @Test func `megabytes arrive in both directions, even with a small window`() throws {
        for window in [65_535, 2_000] {
            let server = try server(.init(initialWindowSize: window)) { .data($0.body) }
            let body = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
            let response = try CurlTransport.trusting(server).send(.post(server.url("/")) |> .data(body))
            #expect(response.version == .http2)
            #expect(response.body == body)
            #expect(server.requests.first?.bodyByteCount == body.count)
        }
    }

    @Test func `a stream can be reset before, in and after its answer`() throws {
        let server = try server()
        let client = try CurlTransport.trusting(server)
        let answer = MockResponse.text("0123456789")
        for point in [MockFault.Point.beforeHead, .midBody(after: 4)] {
            server.enqueue(answer.failing(.resetStream(.internalError, point)))
            let error = client.executeRequest(.post(server.url("/")) |> .text("x"))
            guard case .failure(let failure) = error else { throw HTTPTestFailure() }
            #expect("\(failure)".contains("127.0.0.1"))
        }
        #expect(try client.send(.get(server.url("/"))).text() == "hello")
        #expect(server.connectionCount == 1)
        #expect(server.requests.map(\.stream) == [1, 3, 5])
    }

    @Test func `a refused stream is not processed, so that the client may try again`() throws {
        let server = try server()
        server.enqueue(.text("never").failing(.refusedStream))
        let client = try CurlTransport.trusting(server)
        _ = client.executeRequest(.post(server.url("/")) |> .text("x"))
        #expect(try client.send(.get(server.url("/"))).status == .ok)
        #expect(server.requestCount >= 2)
        #expect(server.requests.first?.stream == 1)
    }

    @Test func `GOAWAY ends the connection after the running streams`() throws {
        let server = try server()
        server.enqueue(.text("last").closing())
        let client = try CurlTransport.trusting(server)
        #expect(try client.send(.get(server.url("/1"))).text() == "last")
        #expect(try client.send(.get(server.url("/2"))).text() == "hello")
        #expect(server.requests.map(\.connection) == [1, 2])
        try server.wait(for: .endOfConnection(1))
        server.enqueue(.text("never").failing(.goAway(.enhanceYourCalm, .beforeHead)))
        guard case .failure = client.executeRequest(.post(server.url("/3")) |> .text("x")) else {
            throw HTTPTestFailure()
        }
        #expect(server.requests.last?.target == "/3")
    }

    @Test(arguments: [
        MockFault.close(.beforeHead), .close(.midBody(after: 3)), .closeWithoutNotify(.midBody(after: 3)),
        .reset(.beforeHead), .reset(.midBody(after: 3)), .garbage,
    ])
    func `a fault of the connection is an error of the call`(fault: MockFault) throws {
        let server = try server()
        server.enqueue(.text("0123456789").failing(fault))
        let client = try CurlTransport.trusting(server)
        guard case .failure(let error) = client.executeRequest(.post(server.url("/")) |> .text("x")) else {
            throw HTTPTestFailure()
        }
        if fault == .close(.midBody(after: 3)) {
            guard case .truncatedBody(let failure) = error else { throw HTTPTestFailure() }
            #expect(failure.received == 3)
        }
        try server.wait(for: .endOfConnection(1))
        #expect(server.requestCount == 1)
        #expect(try client.send(.get(server.url("/"))).text() == "hello")
    }

    @Test func `a stall affects only its stream`() throws {
        let server = try MockServer(versions: [.http2]) { _ in .text("hello") }
        server.on(.get, "/stalled", answer: .text("0123456789").failing(.stall(.midBody(after: 4))))
        let output = try RawHTTP2.get(server, ["/stalled", "/a", "/b"], until: 2)
        #expect(output.sorted() == ["hello", "hello"])
        #expect(server.connectionCount == 1)
    }

    @Test func `delays and trickles take their time`() throws {
        let server = try server()
        server.enqueue(
            .text("0123456789").taking(.milliseconds(30)).taking(.milliseconds(30), in: .receiving),
            .text("0123456789").failing(.trickle(bytes: 2, every: .milliseconds(10))))
        let client = try CurlTransport.trusting(server)
        for least in [Duration.milliseconds(60), .milliseconds(40)] {
            let start = ContinuousClock.now
            #expect(try client.send(.get(server.url("/"))).text() == "0123456789")
            #expect(ContinuousClock.now - start >= least)
        }
        #expect(server.requests.map(\.stream) == [1, 3])
    }

    @Test(arguments: [
        MockResponse.raw("HTTP/1.1 200 OK\r\n\r\n"), .text("x").header("Connection", "close"),
        .text("x").failing(.close(.midHead)), .text("x").failing(.stall(.midHead)), .status(103),
        .text("x").preceded(by: .init(101)),
    ])
    func `an answer that HTTP/2 cannot carry becomes a 500 with the reason`(answer: MockResponse) throws {
        let server = try server()
        server.enqueue(answer)
        let response = try CurlTransport.trusting(server).send(.get(server.url("/bad")))
        #expect(response.status == 500)
        #expect(try response.text().contains("HTTP/2"))
        let failure = #expect(throws: ExpectationFailure.self) { try server.verify() }
        #expect(failure?.description.hasPrefix("the answer to GET /bad: ") == true)
    }

    @Test(arguments: [MockFault.refusedStream, .goAway(.noError, .afterBody)])
    func `an answer that HTTP/1.1 cannot carry becomes a 500 with the reason`(fault: MockFault) throws {
        let server = try MockServer()
        server.enqueue(.text("x").failing(fault))
        let response = try CurlTransport.trusting(server).send(.get(server.url("/bad")))
        #expect(response.status == 500)
        #expect(try response.text().contains("HTTP/1.1 has no streams"))
        #expect(throws: ExpectationFailure.self) { try server.verify() }
    }

    @Test func `an early answer comes before the body is read`() throws {
        let server = try server()
        server.earlyHandler = { $0.path == "/early" ? .status(413).closing() : nil }
        let client = try CurlTransport.trusting(server)
        let big = Data(count: 5_000_000)
        #expect(try client.send(.post(server.url("/early")) |> .data(big)).status == 413)
        #expect(server.requests.map(\.isBodyComplete) == [false])
        #expect(try client.send(.post(server.url("/late")) |> .data(big)).status == .ok)
        #expect(server.requests.last?.bodyByteCount == big.count)
    }

    @Test func `interim responses and 100-continue precede the answer`() throws {
        let server = try server()
        server.enqueue(.text("final").preceded(by: .init(103, headers: ["Link": "</a>"])))
        let client = try CurlTransport.trusting(server)
        #expect(try client.send(.get(server.url("/"))).text() == "final")
        let response = try client.send(.post(server.url("/")) |> .text("x") |> .header("Expect", "100-continue"))
        #expect(try response.text() == "hello")
        #expect(server.requests.last?.text == "x")
    }

    @Test func `HEAD, 204 and 304 have no body`() throws {
        let server = try server()
        let client = try CurlTransport.trusting(server)
        let head = try client.send(.head(server.url("/")))
        #expect(head.headers["Content-Length"] == "5")
        #expect(head.body.isEmpty)
        for status in [204, 304] as [HTTPStatus] {
            server.enqueue(MockResponse(status: status, body: Array("none".utf8)))
            #expect(try client.send(.get(server.url("/"))).body.isEmpty)
        }
        #expect(server.connectionCount == 1)
    }

    @Test func `stopping the server ends a stalled stream`() throws {
        let server = try server()
        server.enqueue(.fault(.stall(.midBody(after: 10))))
        let client = try CurlTransport.trusting(server)
        let result = Mutex<Result<Response, HTTPError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let outcome = client.executeRequest(.get(server.url("/")))
            result.withLock { $0 = outcome }
            done.signal()
        }
        try server.wait(for: .requests(1))
        server.stop()
        #expect(done.wait(timeout: .now() + 20) == .success)
        guard case .failure = result.withLock(\.self) else { throw HTTPTestFailure() }
    }
}
