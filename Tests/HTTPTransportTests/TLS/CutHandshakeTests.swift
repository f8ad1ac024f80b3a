import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPPolicies
import HTTPSupport
import HTTPTransfers
import Testing

/// Handshakes that a server cuts off, as one does that restarts.
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(5))) struct CutHandshakeTests {
    @Test(arguments: [ConnectionFault.close, .failHandshake])
    func `a call whose handshake was cut off is tried again`(fault: ConnectionFault) throws {
        let server = try MockServer(security: .tls()) { _ in .text("hello") }
        server.enqueueConnection(fault)
        let policy = RetryPolicy(backoff: Backoff(jitter: { 0 }))
        let client = try CurlTransport.trusting(server).intercepted(by: .retry(policy))
        let response = try client.get(server.url("/a"))
        #expect(try response.text() == "hello")
        #expect(response.metrics.attemptCount == 2)
        #expect(server.connectionCount == 2 && server.requests.map(\.path) == ["/a"])
    }

    @Test func `a stream of events goes on after a handshake that was cut off`() throws {
        let server = try MockServer(security: .tls())
        for data in ["a", "b"] {
            let text = "retry: 0\nid: \(data)\ndata: \(data)\n\n"
            server.enqueue(.data(text.utf8, contentType: "text/event-stream").closing())
        }
        for fault in [nil, .close] as [ConnectionFault?] { server.enqueueConnection(fault) }
        let seen = Locked<[String]>([])
        let options = EventStreamOptions(connectionLimit: 3, minimumDelay: .zero)
        try CurlTransport.trusting(server).stream(.get(server.url("/e")), as: .serverSentEvents(options)) { event in
            seen.withLock { $0.append(event.data) }
        }
        #expect(seen.withLock(\.self) == ["a", "b"])
        #expect(server.connectionCount == 3)
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "a"])
    }
}
