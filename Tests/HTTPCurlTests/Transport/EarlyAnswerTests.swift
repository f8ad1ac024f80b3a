import TestSupport
import HTTPSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Servers that answer before they have read the body.
@Suite struct EarlyAnswerTests {
    private let client = CurlTransport()

    /// More than the buffers of sockets hold.
    private static let size: Int64 = 64 << 20

    private func upload(length: Int64?) -> RequestStep {
        .stream(length: length) {
            var left = Int(Self.size)
            return BodySource { room in
                let count = min(left, room.count)
                left -= count
                return count
            }
        }
    }

    @Test(arguments: [Self.size, nil], [HTTPStatus(413), 503])
    func `a refusal ends the upload and is the response`(length: Int64?, status: HTTPStatus) throws {
        let server = try MockServer()
        server.earlyHandler = { _ in .text("too much", status: status).closing() }
        let response = try client.send(.post(server.url) |> upload(length: length))
        #expect(response.status == status)
        #expect(try response.text() == "too much")
        #expect(response.metrics.bytesSent < Self.size)
        server.earlyHandler = { _ in nil }
        _ = try client.send(.get(server.url))
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test(arguments: [Self.size, nil])
    func `a refusal without an announced close is the response as well`(length: Int64?) throws {
        let server = try MockServer()
        server.earlyHandler = { _ in .text("too much", status: 413).failing(.close(.afterBody)) }
        let response = try client.send(.post(server.url) |> upload(length: length))
        #expect(response.status == 413)
        #expect(try response.text() == "too much")
    }

    @Test func `so is one in chunks, or one that ends with the connection`() throws {
        for framing in [MockResponse.Framing.chunked(), .untilClose] {
            let server = try MockServer()
            server.earlyHandler = { _ in .text("too much", status: 413).framed(framing).closing() }
            let response = try client.send(.post(server.url) |> upload(length: Self.size))
            #expect(try response.status == 413 && response.text() == "too much")
        }
    }

    @Test func `after a refused expectation the body is not sent`() throws {
        for status in [HTTPStatus(413), 401] {
            let server = try MockServer()
            server.earlyHandler = { _ in .text("no", status: status).closing() }
            let asked = Tally()
            let body = RequestStep.stream(length: 1000) {
                BodySource { room in
                    asked.add()
                    return min(room.count, 1000)
                }
            }
            let response = try client.send(.post(server.url) |> body |> .expectContinue(wait: .seconds(20)))
            #expect(try response.status == status && response.text() == "no")
            #expect(asked.count == 0)
            #expect(server.requestCount == 1)
        }
    }

    /// The server may read on for the body, and would take the next request for it.
    @Test(arguments: [200, 401, 417])
    func `a connection on which a body was asked for and not sent is not used again`(status: HTTPStatus) throws {
        let server = try MockServer { .text("\($0.method) \($0.body.count)") }
        server.earlyHandler = { $0.headers["Expect"] == nil ? nil : .text("early", status: status) }
        let draft = MutableRequest.post(server.url) |> .text("12345") |> .expectContinue(wait: .seconds(20))
        let response = try client.send(draft |> .timeout(.seconds(20)))
        #expect(try response.text() == (status == 417 ? "POST 5" : "early"))
        #expect(try client.send(.get(server.url) |> .timeout(.seconds(20))).text() == "GET 0")
        #expect(server.requests.map(\.bodyByteCount) == (status == 417 ? [5, 0] : [0]))
        #expect(server.connectionCount == 2)
    }

    @Test func `a refused body is not sent while the refusal takes its time, also if the server will close`() throws {
        let asked = Tally()
        let body = RequestStep.stream(length: 1000) {
            BodySource { room in
                asked.add()
                return min(room.count, 1000)
            }
        }
        let server = try MockServer()
        let answer = MockResponse.text("no", status: 413).closing().taking(.milliseconds(600), in: .receiving)
        server.earlyHandler = { _ in answer }
        let draft = MutableRequest.post(server.url) |> body |> .expectContinue(wait: .milliseconds(200))
        let response = try client.send(draft |> .timeout(.seconds(20)))
        #expect(try response.status == 413 && response.text() == "no")
        #expect(asked.count == 0)
    }

    /// Refuses each expectation with 417, and echoes the length of any other body. `seen` gets each request's Expect.
    private func refusingServer(
        closing: Bool, seen: @escaping @Sendable (String?) -> Void = { _ in }
    ) throws -> MockServer {
        let server = try MockServer { .text("\($0.body.count)") }
        server.earlyHandler = { request in
            seen(request.headers["Expect"])
            guard request.headers["Expect"] != nil else { return nil }
            let answer = MockResponse.text("no", status: 417)
            return closing ? answer.closing() : answer
        }
        return server
    }

    @Test(arguments: [true, false], [true, false])
    func `a request whose expectation is refused with 417 is repeated once without it`(
        closing: Bool, isKept: Bool
    ) throws {
        let seen = Locked<[String?]>([])
        let server = try refusingServer(closing: closing) { expect in seen.withLock { $0.append(expect) } }
        let client = CurlTransport()
        if isKept { _ = try client.send(.get(server.url)) }
        for draft in [
            MutableRequest.post(server.url) |> .data(Data(repeating: 1, count: 2000)),
            .put(server.url) |> .stream { .data(Data(repeating: 1, count: 2000)) },
        ] {
            seen.withLock { $0 = [] }
            let response = try client.send(draft |> .expectContinue(wait: .seconds(20)))
            #expect(try response.status == .ok && response.text() == "2000")
            #expect(seen.withLock { $0 } == ["100-continue", nil])
            #expect(response.metrics.attemptCount == 2)
        }
    }

    @Test func `the body of that 417 goes to no destination, also to one that takes refusals`() throws {
        let (seen, bodies) = (Locked<[String?]>([]), Locked<[String]>([]))
        let server = try refusingServer(closing: false) { expect in seen.withLock { $0.append(expect) } }
        let destination = BodyDestination.stream { start in
            BodySink { bytes in
                let text = "\(start.status) \(String(decoding: bytes, as: UTF8.self))"
                bodies.withLock { $0.append(text) }
            }
        }
        let draft = MutableRequest.post(server.url) |> .text("body") |> .destination(destination.includingRefusals())
        #expect(try client.send(draft |> .expectContinue(wait: .seconds(20))).status == .ok)
        #expect(bodies.withLock { $0 } == ["200 4"] && seen.withLock { $0 } == ["100-continue", nil])
    }

    @Test func `batched calls repeat it, too`() throws {
        let server = try refusingServer(closing: true)
        let draft = MutableRequest.post(server.url) |> .text("body") |> .expectContinue(wait: .seconds(20))
        for result in CurlTransport().executeRequests([draft, draft, draft]) {
            #expect(try result.get().text() == "4")
        }
        #expect(server.requestCount == 6)
    }

    @Test func `a second 417 is the response`() throws {
        let server = try MockServer { _ in .text("never", status: 417) }
        server.earlyHandler = { $0.headers["Expect"] == nil ? nil : .text("no", status: 417).closing() }
        let draft = MutableRequest.post(server.url) |> .text("body")
        let response = try client.send(draft |> .expectContinue(wait: .seconds(20)))
        #expect(try response.status == 417 && response.text() == "never")
        #expect(server.requestCount == 2)
    }

    @Test func `a 417 to a request without an expectation is the response`() throws {
        let server = try MockServer { _ in .text("no", status: 417) }
        #expect(try client.send(.post(server.url) |> .text("body")).status == 417)
        #expect(server.requestCount == 1)
    }

    @Test func `a 417 to a body that can be sent only once is the response, without its body`() throws {
        let server = try MockServer { _ in .text("never") }
        server.earlyHandler = { _ in .text("no", status: 417) }
        let once = RequestStep.stream(length: 4, replayable: false) { .data(Data("once".utf8)) }
        let response = try client.send(.post(server.url) |> once |> .expectContinue(wait: .seconds(20)))
        // libcurl would send the request again, and drops the body.
        #expect(response.status == 417 && response.body.isEmpty)
    }

    @Test func `a refusal followed by a reset is the response or a broken connection, and never hangs`()
        throws
    {
        var answered = 0
        for _ in 0..<20 {
            let server = try MockServer()
            server.earlyHandler = { _ in .text("too much", status: 413).failing(.reset(.afterBody)) }
            switch client.executeRequest(.post(server.url) |> upload(length: Self.size)) {
            case .success(let response):
                #expect(try response.status == 413 && response.text() == "too much")
                answered += 1
            case .failure(.connection), .failure(.truncatedBody): break
            case .failure(let error): throw error
            }
        }
        // The system discards unread data if the reset arrives first.
        #expect(answered > 0)
    }

    @Test func `a redirect in the middle of the body is followed`() throws {
        let server = try MockServer { _ in .text("there") }
        server.earlyHandler = { $0.path == "/a" ? .redirect(to: "/b", status: 303).closing() : nil }
        let response = try client.send(.post(server.url("/a")) |> upload(length: Self.size))
        #expect(try response.text() == "there")
    }
}
