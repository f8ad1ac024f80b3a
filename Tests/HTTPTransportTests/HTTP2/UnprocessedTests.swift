import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import TestSupport
import Testing

import HTTPMockServer

/// Requests that an HTTP/2 server says it has not processed (RFC 9113 §8.7), and other ends of streams.
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(5))) struct UnprocessedTests {
    /// Whether the engine is that of Debian 12, which tells less than newer ones.
    private static let is788 = CurlTransport.engineVersion.hasPrefix("7.88.")
    private let server: MockServer
    private let client: CurlTransport

    init() throws {
        server = try MockServer(security: .tls(), versions: [.http2]) { .text("\($0.method) \($0.body.count)") }
        client = try .trusting(server)
    }

    /// Not GOAWAY: libcurl 7.88 reports it like any end of the connection, without the last stream.
    private static let refusals: [MockFault] = [.refusedStream]

    @Test(arguments: refusals, EntryStyle.allCases)
    func `any method is tried once more, in every style`(refusal: MockFault, style: EntryStyle) async throws {
        server.enqueue(.text("never").failing(refusal))
        let request = try Request(.post(server.url("/")) |> .text("12345") |> .timeout(.seconds(20)))
        let results = await style.results(of: [request], over: client, atOnce: 1)
        let response = try results[0].get()
        #expect(try response.text() == "POST 5")
        #expect(response.metrics.attemptCount == 2)
        #expect(server.requests.map(\.body.count) == [5, 5])
    }

    /// libcurl remembers a refusal that it need not look at: of a request on a kept connection, or behind a head.
    @Test(arguments: [MockFault.Point.beforeHead, .midBody(after: 2)], EntryStyle.allCases)
    func `a request that may have been processed is not sent again because an earlier one was refused`(
        refusal: MockFault.Point, style: EntryStyle
    ) async throws {
        let client = client
        func result(of draft: MutableRequest) async throws -> Result<Response, HTTPError> {
            let request = try Request(draft |> .timeout(.seconds(20)))
            return await style.results(of: [request], over: client, atOnce: 1)[0]
        }
        _ = try await result(of: .get(server.url("/"))).get()
        server.enqueue(.text("never").failing(.resetStream(.refusedStream, refusal)))
        _ = try await result(of: .get(server.url("/")))
        server.enqueue(.text("the last on its connection").closing())
        _ = try await result(of: .get(server.url("/"))).get()
        server.enqueue(.text("never").failing(.reset(.beforeHead)))
        let count = server.requestCount
        let result = try await result(of: .post(server.url("/")) |> .text("12345"))
        guard case .failure(.connection(let failure)) = result else { throw Unexpected(result) }
        #expect(failure.reason != .unprocessed && failure.mayHaveBeenProcessed)
        #expect(server.requests.dropFirst(count).map(\.body.count) == [5])
    }

    /// The one on the new connection could be taken for a second refusal.
    @Test(arguments: EntryStyle.allCases)
    func `a request that was refused on a kept connection may have been processed when it is sent once more`(
        style: EntryStyle
    ) async throws {
        _ = try await style.results(of: [Request(.get(server.url("/")))], over: client, atOnce: 1)[0].get()
        server.enqueue(.text("never").failing(.refusedStream))
        server.enqueue(.text("never").failing(.reset(.beforeHead)))
        let request = try Request(.get(server.url("/")) |> .timeout(.seconds(20)))
        let result = await style.results(of: [request], over: client, atOnce: 1)[0]
        guard case .failure(.connection(let failure)) = result else { throw Unexpected(result) }
        #expect(failure.reason != .unprocessed && failure.mayHaveBeenProcessed)
        #expect(server.requests.map(\.connection) == [1, 1, 2])
    }

    /// libcurl counts how often it wants to send a request again, and never from anew.
    @Test(arguments: EntryStyle.allCases)
    func `however many were refused before, a request is tried once more`(style: EntryStyle) async throws {
        let request = try Request(.post(server.url("/")) |> .text("12345") |> .timeout(.seconds(20)))
        for _ in 0..<13 {
            server.enqueue(.text("never").failing(.refusedStream))
            server.enqueue(.text("the last on its connection").closing())
            let response = try await style.results(of: [request], over: client, atOnce: 1)[0].get()
            #expect(response.metrics.attemptCount == 2)
        }
        #expect(server.requests.map(\.body.count) == Array(repeating: 5, count: 26))
    }

    @Test(arguments: refusals)
    func `a second refusal is an error that says that nothing was processed`(refusal: MockFault) throws {
        for _ in 0..<2 { server.enqueue(.text("never").failing(refusal)) }
        let error = client.executeRequest(.post(server.url("/")) |> .text("x") |> .timeout(.seconds(20))).error
        guard case .connection(let failure)? = error else { throw Unexpected(error as Any) }
        #expect(failure.reason == .unprocessed && !failure.mayHaveBeenProcessed)
        expectText(error, saying: ["127.0.0.1", "without processing the request", "try again"])
        #expect(server.requestCount == 2)
    }

    /// libcurl would send the first one again.
    @Test func `a connection that dies under two requests may have had both processed`() throws {
        server.enqueue(.text("never").taking(.milliseconds(300)).failing(.reset(.beforeHead)))
        server.enqueue(.fault(.stall(.beforeHead)))
        let request = try Request(.post(server.url("/")) |> .text("12345") |> .timeout(.seconds(20)))
        for result in client.executeRequests([request, request], maxConcurrent: 2) {
            guard case .failure(.connection(let failure)) = result else { throw Unexpected(result) }
            #expect(failure.mayHaveBeenProcessed)
        }
        #expect(server.requests.map(\.connection) == [1, 1])
    }

    /// To libcurl a refusal there looks like a connection that died.
    @Test func `of a refusal on a kept connection no more is said than is known`() throws {
        _ = try client.send(.get(server.url("/")))
        server.enqueue(.text("never").failing(.refusedStream))
        let error = client.executeRequest(.post(server.url("/")) |> .text("x") |> .timeout(.seconds(20))).error
        guard case .connection(let failure)? = error else { throw Unexpected(error as Any) }
        #expect(failure.reason == .closedBeforeResponse && failure.mayHaveBeenProcessed)
        expectText(error, saying: ["ended the exchange or the connection before it answered; the request may have"])
        #expect(server.requests.map(\.connection) == [1, 1])
    }

    @Test func `a body that can be sent once is not sent again`() throws {
        server.enqueue(.text("never").failing(.refusedStream))
        let draft = MutableRequest.post(server.url("/")) |> .stream(length: 5, replayable: false) { .zeros(5) }
        let error = client.executeRequest(draft |> .timeout(.seconds(20))).error
        guard case .body(let failure)? = error else { throw Unexpected(error as Any) }
        #expect(failure.reason == .notReplayable)
        #expect(server.requestCount == 1)
    }

    @Test func `a stream that was reset for another reason may have been processed`() throws {
        for code in [HTTP2ErrorCode.internalError, .cancel] {
            server.enqueue(.text("never").failing(.resetStream(code, .beforeHead)))
            let count = server.requestCount
            let error = client.executeRequest(.post(server.url("/")) |> .text("x") |> .timeout(.seconds(20))).error
            guard case .connection(let failure)? = error else { throw Unexpected(error as Any) }
            #expect(failure.reason == .broken && failure.mayHaveBeenProcessed)
            expectText(error, saying: ["reset the stream (", code == .cancel ? "(CANCEL)" : "(INTERNAL_ERROR)"])
            #expect(server.requestCount == count + 1)
        }
    }

    /// RFC 9113 §8.7 does not say that such a request was not processed.
    @Test(arguments: [false, true])
    func `HTTP_1_1_REQUIRED is an error that names the setting, and nothing is sent again`(onKept: Bool) throws {
        if onKept { _ = try client.send(.get(server.url("/"))) }
        for method in [HTTPMethod.post, .get] {
            server.enqueue(.text("never").failing(.resetStream(.http11Required, .beforeHead)))
            let count = server.requestCount
            let draft = MutableRequest(method, server.url("/")) |> .timeout(.seconds(20))
            let error = client.executeRequest(draft).error
            guard case .unsupported? = error else {
                // From 8.19 on libcurl does not tell it from a stream that was refused.
                #expect(!Self.is788 && server.requestCount == count + (error == nil ? 2 : 1))
                continue
            }
            expectText(error, saying: ["127.0.0.1", "requires HTTP/1.1", ".version(.http1)"])
            #expect(server.requestCount == count + 1)
        }
    }

    /// libcurl wants to send the request again, and takes what came for whole.
    @Test(arguments: [0, 2])
    func `HTTP_1_1_REQUIRED in the middle of a response does not make it whole`(count: Int) throws {
        server.enqueue(.text("never").failing(.resetStream(.http11Required, .midBody(after: count))))
        let error = client.executeRequest(.get(server.url("/")) |> .timeout(.seconds(20))).error
        switch error {
        case .protocolViolation: break
        case .connection(let failure)?:
            #expect(failure.reason == .broken && failure.mayHaveBeenProcessed && !Self.is788)
        default: throw Unexpected(error as Any)
        }
        #expect(server.requestCount == 1)
    }

    /// libcurl has no message for it, or takes it for a refusal of the stream, which it is.
    @Test func `GOAWAY that leaves out the request closes the connection, and breaks no rule`() throws {
        let server = try RawServer(tls: true, version: .http2) { stream, _ in
            let connection = FaultConnection(stream, isHTTP2: true, progress: FaultProgress())
            guard connection.readRequest() else { return }
            connection.write(HTTP2Frame.frame(7, [0, 0, 0, 0, 0, 0, 0, 0]))
            connection.hold()
        }
        let error = try server.transport().executeRequest(.get(server.url()) |> .timeout(.seconds(20))).error
        guard case .connection(let failure)? = error else { throw Unexpected(error as Any) }
        if Self.is788 || failure.reason != .unprocessed {
            #expect(failure.reason == .closedBeforeResponse)
            expectText(error, saying: ["closed the connection before it answered; try again"])
        }
    }

    @Test(arguments: EntryStyle.allCases)
    func `after GOAWAY in place of an answer a GET is sent once more, and a POST only if it was left out`(
        style: EntryStyle
    ) async throws {
        for times in [1, 2] {
            let server = try MockServer(security: .tls(), versions: [.http2]) { .text("\($0.method)") }
            for _ in 0..<times { server.enqueue(.text("never").failing(.goAway(.noError, .beforeHead))) }
            let request = try Request(.get(server.url("/")) |> .timeout(.seconds(20)))
            let result = try await style.results(of: [request], over: CurlTransport.trusting(server), atOnce: 1)[0]
            #expect(server.requests.map(\.connection) == [1, 2])
            if times == 1 {
                #expect(try result.get().text() == "GET" && result.get().metrics.attemptCount == 2)
            } else {
                guard case .failure(.connection(let failure)) = result else { throw Unexpected(result) }
                #expect(failure.mayHaveBeenProcessed == (failure.reason == .closedBeforeResponse))
            }
        }
        server.enqueue(.text("never").failing(.goAway(.noError, .beforeHead)))
        let request = try Request(.post(server.url("/")) |> .text("x") |> .timeout(.seconds(20)))
        switch await style.results(of: [request], over: client, atOnce: 1)[0] {
        case .failure(.connection): #expect(server.requestCount == 1, "libcurl 7.88 does not tell")
        case .success(let response):
            #expect(server.requestCount == 2 && response.metrics.attemptCount == 2 && !Self.is788)
        case .failure(let error): throw Unexpected(error)
        }
    }

    @Test func `a stream that is reset on a kept connection is no connection that died`() throws {
        _ = try client.send(.get(server.url("/")))
        server.enqueue(.text("never").failing(.resetStream(.internalError, .beforeHead)))
        let error = client.executeRequest(.get(server.url("/")) |> .timeout(.seconds(20))).error
        expectText(error, saying: ["reset the stream (INTERNAL_ERROR); try again"])
        #expect(server.requests.map(\.connection) == [1, 1])
    }

    @Test(arguments: [MockFault.Point.beforeHead, .midBody(after: 2)])
    func `ENHANCE_YOUR_CALM asks for fewer requests and blames nobody`(point: MockFault.Point) throws {
        server.enqueue(.text("never").failing(.resetStream(.enhanceYourCalm, point)))
        let error = client.executeRequest(.post(server.url("/")) |> .text("x") |> .timeout(.seconds(20))).error
        guard case .connection(let failure)? = error else { throw Unexpected(error as Any) }
        #expect(failure.reason == .tooManyRequests)
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("too many requests in too short a time") && text.contains("slow down"), "\(text)")
        #expect(!text.contains("whoever runs the server"), "\(text)")
        #expect(server.requestCount == 1)
    }

    @Test func `ENHANCE_YOUR_CALM on a kept connection is no reason to send a GET once more at once`() throws {
        _ = try client.send(.get(server.url("/")))
        server.enqueue(.text("never").failing(.resetStream(.enhanceYourCalm, .beforeHead)))
        let error = client.executeRequest(.get(server.url("/")) |> .timeout(.seconds(20))).error
        guard case .connection(let failure)? = error else { throw Unexpected(error as Any) }
        #expect(failure.reason == .tooManyRequests)
        #expect(server.requests.map(\.connection) == [1, 1])
    }

    /// For a 2xx libcurl 7.88 reads no more, and never learns that the stream was reset.
    @Test(arguments: [100_000, 8 << 20], EntryStyle.allCases)
    func `a complete success is delivered, too, although the server does not want the rest of the upload`(
        count: Int, style: EntryStyle
    ) async throws {
        server.earlyHandler = { _ in .text("all of it").failing(.resetStream(.noError, .afterBody)) }
        let draft = MutableRequest.post(server.url("/")) |> .stream(length: Int64(count)) { .zeros(count) }
        let results = await style.results(of: [try Request(draft |> .timeout(.seconds(20)))], over: client, atOnce: 1)
        let response = try results[0].get()
        #expect(try response.status == 200 && response.text() == "all of it")
        #expect(response.metrics.total < .seconds(10))
    }

    /// RFC 9113 §8.1. libcurl 7.88 has no words for such an end of the stream.
    @Test(arguments: [100_000, 8 << 20], EntryStyle.allCases)
    func `a success without a length is delivered, too, although the server does not want the rest of the upload`(
        count: Int, style: EntryStyle
    ) async throws {
        server.earlyHandler = { _ in
            .text("all of it").framed(.untilClose).failing(.resetStream(.noError, .afterBody))
        }
        let draft = MutableRequest.post(server.url("/")) |> .stream(length: Int64(count)) { .zeros(count) }
        let results = await style.results(of: [try Request(draft |> .timeout(.seconds(20)))], over: client, atOnce: 1)
        let response = try results[0].get()
        #expect(try response.status == 200 && response.text() == "all of it")
        #expect(count < 1 << 20 || response.metrics.bytesSent < count)
        #expect(response.metrics.total < .seconds(10))
        server.earlyHandler = nil
        let next = try Request(.get(server.url("/")) |> .timeout(.seconds(20)))
        #expect(try await style.results(of: [next], over: client, atOnce: 1)[0].get().text() == "GET 0")
    }

    @Test func `a success without a length is not whole if the stream was reset for another reason`() throws {
        let answer = MockResponse.text("all of it").framed(.untilClose)
        server.earlyHandler = { _ in answer.failing(.resetStream(.internalError, .midBody(after: 2))) }
        let draft = MutableRequest.post(server.url("/")) |> .stream(length: 8 << 20) { .zeros(8 << 20) }
        let error = client.executeRequest(draft |> .timeout(.seconds(20))).error
        guard case .connection(let failure)? = error else { throw Unexpected(error as Any) }
        #expect(failure.reason == .broken && failure.mayHaveBeenProcessed)
    }

    /// libcurl 7.88 does not look at a stream that is over with the last byte it sends.
    @Test(arguments: [50_000, 70_000, 300_000, 3 << 20], EntryStyle.allCases)
    func `a success without a length that comes before the end of the request is delivered when that is sent`(
        count: Int, style: EntryStyle
    ) async throws {
        let server = try MockServer(security: .tls(), versions: [.http2], http2: .init(initialWindowSize: 10_000))
        server.earlyHandler = { _ in .text("all of it").framed(.untilClose) }
        let client = try CurlTransport.trusting(server)
        let draft = MutableRequest.post(server.url("/"))
        let bytes = RequestStep.data(Data(count: count))
        // On a new connection, on kept ones, and several at once.
        for (body, atOnce) in [(bytes, 1), (.stream { .zeros(count) }, 1), (bytes, 6)] {
            let requests = Array(repeating: try Request(draft |> body |> .timeout(.seconds(9))), count: atOnce)
            for result in await style.results(of: requests, over: client, atOnce: atOnce) {
                let response = try result.get()
                #expect(try response.status == 200 && response.text() == "all of it")
                #expect(response.metrics.total < .seconds(5))
            }
        }
        try await server.wait(for: .requests(8))
        #expect(server.requests.map(\.bodyByteCount) == Array(repeating: count, count: 8))
    }

    @Test func `a quiet success without a length behind a request that it came before is read to its end`() throws {
        let server = try MockServer(security: .tls(), versions: [.http2], http2: .init(initialWindowSize: 10_000))
        server.earlyHandler = { _ in
            .text("all of it").framed(.untilClose).taking(.milliseconds(1500), in: .receiving)
        }
        let draft = MutableRequest.post(server.url("/")) |> .data(Data(count: 300_000)) |> .timeout(.seconds(9))
        #expect(try CurlTransport.trusting(server).send(draft).text() == "all of it")
        #expect(server.requests.map(\.bodyByteCount) == [300_000])
    }

    /// RFC 9113 §8.1: the server has all it needs, and asks the client to stop sending.
    @Test(
        arguments: [HTTPStatus.seeOther, 413, 503],
        [MockResponse.Framing.contentLength, .chunked(), .untilClose])
    func `a complete response is delivered although the server does not want the rest of the upload`(
        status: HTTPStatus, framing: MockResponse.Framing
    ) throws {
        let answer = MockResponse.text("all of it", status: status).framed(framing)
        server.earlyHandler = { _ in answer.failing(.resetStream(.noError, .afterBody)) }
        let draft = MutableRequest.post(server.url("/")) |> .stream(length: 32 << 20) { .zeros(32 << 20) }
        let response = try client.send(draft |> .timeout(.seconds(20)))
        #expect(try response.status == status && response.text() == "all of it")
        #expect(response.metrics.bytesSent < 32 << 20)
        server.earlyHandler = nil
        #expect(try client.send(.get(server.url("/"))).text() == "GET 0")
    }

    /// RFC 9113 §8.1.1: a body that ends before its length would be a violation, for which a server resets the stream. libcurl
    /// ends it when the status is no success.
    @Test(arguments: [nil, 1 << 30], EntryStyle.allCases)
    func `a refusal that takes its time arrives whole, and no server takes what was sent for the whole body`(
        length: Int?, style: EntryStyle
    ) async throws {
        server.earlyHandler = { _ in .text("all of it", status: 413).taking(.milliseconds(300), in: .receiving) }
        let body = RequestStep.stream(length: length.map(Int64.init)) { .zeros(1 << 30) }
        let request = try Request(.post(server.url("/")) |> body |> .timeout(.seconds(20)))
        let response = try await style.results(of: [request], over: client, atOnce: 1)[0].get()
        #expect(try response.status == 413 && response.text() == "all of it")
        #expect(response.metrics.total < .seconds(10) && response.metrics.bytesSent < 1 << 30)
        try await server.wait(for: .protocolViolations(1))
        #expect(server.protocolViolations.map(\.kind) == [.truncated] && server.requestCount == 0)
    }

    @Test(
        .disabled(if: is788, "libcurl 7.88 may lose such an answer; the request goes over HTTP/1.1"),
        arguments: [nil, 1000, 100_000], EntryStyle.allCases)
    func `of a body that the server refuses when it is asked nothing is sent, and the answer may take its time`(
        length: Int?, style: EntryStyle
    ) async throws {
        let answer = MockResponse.text("all of it", status: 401).taking(.milliseconds(300), in: .receiving)
        server.earlyHandler = { $0.method == .put ? answer : nil }
        let stream = RequestStep.stream(length: length.map(Int64.init)) { .zeros(length ?? 1000) }
        for body in [stream, .data(Data(count: length ?? 1000))] {
            let draft = MutableRequest.put(server.url("/")) |> body |> .expectContinue(wait: .seconds(20))
            let request = try Request(draft |> .timeout(.seconds(20)))
            let response = try await style.results(of: [request], over: client, atOnce: 1)[0].get()
            #expect(try response.status == 401 && response.text() == "all of it")
            #expect(response.metrics.total < .seconds(10) && response.metrics.bytesSent < 1000)
            // With it goes the reset of the stream, if both have one connection.
            let next = try await style.results(of: [Request(.get(server.url("/")))], over: client, atOnce: 1)[0].get()
            #expect(try next.text() == "GET 0")
        }
        #expect(server.requests.map(\.method) == [.get, .get])
        #expect(server.protocolViolations.allSatisfy { $0.kind == .truncated && $0.bytes.isEmpty })
    }

    /// libcurl up to 8.9 notices the end of a response without a length behind that of the request.
    @Test(arguments: [nil, 1 << 30], EntryStyle.allCases)
    func `a refusal without a length is noticed when the server is silent, and the upload ends there`(
        length: Int?, style: EntryStyle
    ) async throws {
        server.earlyHandler = { _ in .text("all of it", status: 413).framed(.untilClose) }
        let body = RequestStep.stream(length: length.map(Int64.init)) { .zeros(1 << 30) }
        let request = try Request(.post(server.url("/")) |> body |> .timeout(.seconds(20)))
        let response = try await style.results(of: [request], over: client, atOnce: 1)[0].get()
        #expect(try response.status == 413 && response.text() == "all of it")
        #expect(response.metrics.total < .seconds(10) && response.metrics.bytesSent < 1 << 30)
        guard Self.is788 else { return }
        if length == nil {
            try await server.wait(for: .requests(1))
            #expect(server.requests.allSatisfy { $0.bodyByteCount < 1 << 30 })
        } else {
            try await server.wait(for: .protocolViolations(1))
            #expect(server.requestCount == 0)
        }
    }

    @Test(arguments: EntryStyle.allCases)
    func `an upload that is redirected early is not ended as if it were whole, and goes on elsewhere`(
        style: EntryStyle
    ) async throws {
        let to = MockResponse.redirect(to: "/b", status: .temporaryRedirect).framed(.untilClose)
        server.earlyHandler = { $0.path == "/a" ? to : nil }
        // So it takes half a second.
        server.conditions = .bandwidth(receiving: 4 << 20)
        let body = RequestStep.stream { .zeros(2 << 20) }
        let request = try Request(.post(server.url("/a")) |> body |> .timeout(.seconds(20)))
        let response = try await style.results(of: [request], over: client, atOnce: 1)[0].get()
        #expect(try response.text() == "POST \(2 << 20)" && response.metrics.total < .seconds(10))
        // The other one ended within its body.
        try await server.wait(for: .protocolViolations(1))
        #expect(server.protocolViolations.map(\.kind) == [.truncated] && server.requests.map(\.path) == ["/b"])
    }

    /// libcurl from 8.11 on resets the stream of such an upload itself.
    @Test func `a refusal without a length is the answer, whatever else its connection carries`() throws {
        server.on(.get, "/slow", answer: .text("late").taking(.milliseconds(50)))
        server.earlyHandler = { $0.method == .post ? .text("no", status: 413).framed(.untilClose) : nil }
        let post = MutableRequest.post(server.url("/")) |> .stream(length: 32 << 20) { .zeros(32 << 20) }
        for round in 0..<10 {
            let slow = Array(repeating: MutableRequest.get(server.url("/slow")), count: 6)
            let drafts = (slow.prefix(round % 7) + [post] + slow.dropFirst(round % 7)).map {
                $0 |> .timeout(.seconds(20))
            }
            for (draft, result) in zip(drafts, client.executeRequests(drafts)) {
                let response = try result.get()
                #expect(try response.text() == (draft.method == .post ? "no" : "late"))
            }
        }
    }
}
