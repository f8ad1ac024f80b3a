import TestSupport
import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The failure of one request of many, which must not affect the others.
@Suite(.timeLimit(.minutes(5))) struct BatchFaultTests {
    let client: CurlTransport

    init() throws { client = try .plain() }

    @Test func `the error of one does not affect the others`() throws {
        let server = try MockServer { request in
            switch request.path {
            case "/reset": .fault(.reset(.beforeHead))
            case "/cut": MockResponse.text("long text").failing(.close(.midBody(after: 3)))
            case "/broken": .raw("nonsense\r\n\r\n")
            default: .text("ok")
            }
        }
        let closed = try MockServer.unusedPort()
        let results = client.executeRequests([
            .get(server.url("/a")), .get(server.url("/reset")), .get(server.url("/b")), .get(server.url("/cut")),
            .get("http://127.0.0.1:\(closed)/"), .get(server.url("/broken")), .get(server.url("/c")),
        ])
        #expect(results.map { $0.response?.status } == [.ok, nil, .ok, nil, nil, nil, .ok])
        expectConnectionFailure(results[1], .closedBeforeResponse)
        guard case .truncatedBody? = results[3].error else { throw Unexpected(results[3]) }
        expectConnectionFailure(results[4], .refused)
        guard case .protocolViolation? = results[5].error else { throw Unexpected(results[5]) }
    }

    @Test func `the deadline of one affects no other, and each time limit counts separately`() throws {
        let server = try MockServer { request in
            switch request.path {
            case "/silent", "/idle": .fault(.stall(.beforeHead))
            case "/half": MockResponse.text("text").failing(.stall(.midBody(after: 3)))
            default: MockResponse.text("ok").taking(.milliseconds(250))
            }
        }
        let start = ContinuousClock.now
        let results = client.executeRequests([
            .get(server.url("/silent")) |> .timeout(.milliseconds(100)), .get(server.url("/a")),
            .get(server.url("/idle")) |> .idleTimeout(.milliseconds(120)),
            .get(server.url("/half")) |> .idleTimeout(.seconds(2)), .get(server.url("/b")),
        ])
        #expect(results.map { $0.response?.status } == [nil, .ok, nil, nil, .ok])
        let limits = results.map { result -> TimeoutFailure? in
            if case .timedOut(let failure)? = result.error { failure } else { nil }
        }
        #expect(limits.map { $0?.limit } == [.total, nil, .idle, .idle, nil])
        #expect(
            limits.map { $0?.duration } == [.milliseconds(100), nil, .milliseconds(120), .seconds(2), nil])
        #expect(limits[3]?.record?.phase == .receiving)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `a waiting request loses no time, but a deadline around the batch applies to all`()
        throws
    {
        let server = try MockServer { request in
            MockResponse.text("ok").taking(request.path == "/slow" ? .milliseconds(2_200) : .zero)
        }
        let slow = try Request(.get(server.url("/slow")))
        let quick = try Request(.get(server.url("/quick")) |> .timeout(.seconds(2)))
        let patient = client.executeRequests([slow, quick], maxConcurrent: 1)
        #expect(patient.allSatisfy { $0.response != nil })
        let hurried = CallDeadline(.seconds(2)).run { client.executeRequests([quick, slow, quick], maxConcurrent: 1) }
        #expect(hurried.first?.response != nil)
        for late in hurried.dropFirst() {
            guard case .timedOut(let failure)? = late.error else { throw Unexpected(hurried) }
            #expect(failure.limit == .total && failure.duration == .seconds(2))
        }
        #expect(server.requests.map(\.path) == ["/slow", "/quick", "/quick", "/slow"])
    }

    @Test func `a connection that is not established in time has its own limit`() throws {
        let port = try MockServer.unansweredPort()
        let server = try MockServer { _ in .text("ok") }
        let results = client.executeRequests([
            .get("http://127.0.0.1:\(port)/") |> .connectTimeout(.milliseconds(80)), .get(server.url("/")),
        ])
        guard case .timedOut(let failure)? = results[0].error else { throw Unexpected(results[0]) }
        #expect(failure.limit == .connect)
        #expect(results[1].response != nil)
    }

    @Test func `the second try uses no other kept connection, which may be lost too`() throws {
        let server = try MockServer { _ in MockResponse.text("ok").taking(.milliseconds(20)) }
        let many = try (0..<4).map { try Request(.get(server.url("/\($0)"))) }
        _ = client.executeRequests(many, maxConcurrent: 4)
        #expect(server.connectionCount == 4)
        server.enqueue(.fault(.close(.beforeHead)))
        let response = try #require(client.executeRequests([.get(server.url("/second"))]).first).get()
        #expect(response.metrics.attemptCount == 2)
        #expect(server.requests.suffix(2).map(\.target) == ["/second", "/second"])
        #expect(server.requests.last?.connection == 5)
        // From then on the remaining connections are reused; libcurl has closed one more for the second try.
        let responses = client.executeRequests(many, maxConcurrent: 4).compactMap(\.response)
        #expect(responses.count(where: \.metrics.isConnectionReused) >= 3)
    }

    @Test func `a sink that throws fails its own request`() throws {
        struct Full: Error {}
        let server = try MockServer { .text($0.path) }
        var received: [UInt8] = []
        let good = BodyDestination.stream { _ in BodySink { _ in } }
        let bad = BodyDestination.stream { _ in BodySink { _ in throw Full() } }
        client.executeRequests(
            [
                try Request(.get(server.url("/a")) |> .destination(bad)),
                try Request(.get(server.url("/b")) |> .destination(good)),
            ]
        ) { index, result in
            received.append(UInt8(index))
            if index == 0 {
                if case .body(let failure)? = result.error {
                    #expect(failure.reason == .sink && failure.underlying is Full)
                } else {
                    Issue.record("\(result)")
                }
            } else {
                #expect(result.response?.bodyByteCount == 2)
            }
        }
        #expect(received.sorted() == [0, 1])
    }

    @Test func `an unsupported configuration fails the request it concerns`() throws {
        let server = try MockServer { _ in .text("ok") }
        var configuration = CurlConfiguration()
        configuration.proxy = .environment(["https_proxy": "gopher://x"])
        let results = try CurlTransport(configuration).executeRequests([
            .get("https://localhost:1/"), .get(server.url("/")),
        ])
        expectUnsupported(results[0].error, saying: "https_proxy")
        #expect(results[1].response?.status == .ok)
    }
}
