import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTransfers
import TestSupport
import Testing

/// Request bodies from sequences that have nothing to send for now. The response is read meanwhile.
@Suite(.timeLimit(.minutes(5))) struct SilentBodyTests {
    enum Version: CaseIterable {
        case http1, http2

        func server(_ handler: @escaping MockServer.Handler) throws -> (server: MockServer, client: CurlTransport) {
            guard self == .http2 else { return (try MockServer(handler: handler), CurlTransport()) }
            let server = try MockServer(security: .tls(), versions: [.http2], handler: handler)
            var configuration = CurlConfiguration()
            configuration.tls.authorities = try #require(server.certificateAuthority).trust
            return (server, try CurlTransport(configuration))
        }
    }

    private let ended = Event()

    /// A body that has sent its first element, and what sends more.
    private func body(length: Int64? = nil) -> (RequestBody, AsyncStream<Data>.Continuation) {
        let (elements, more) = AsyncStream<Data>.makeStream()
        more.onTermination = { [ended] _ in ended.signal() }
        more.yield(Data("first,".utf8))
        return (.stream(of: elements, length: length), more)
    }

    @Test(arguments: Version.allCases)
    func `a refusal ends the call, and the sequence`(_ version: Version) async throws {
        let (server, client) = try version.server { _ in .status(.created) }
        server.earlyHandler = { _ in .text("too large", status: .contentTooLarge) }
        let (body, more) = body()
        let response = try await client.send(.post(server.url("/")) |> .body(body) |> .timeout(.seconds(60)))
        #expect(try response.status == .contentTooLarge && response.text() == "too large")
        await ended.happened()
        withExtendedLifetime(more) {}
    }

    @Test func `so does one without a length over HTTP/2`() async throws {
        let (server, client) = try Version.http2.server { _ in .status(.created) }
        server.earlyHandler = { _ in .text("too large", status: .contentTooLarge).framed(.untilClose) }
        let (body, more) = body()
        let response = try await client.send(.post(server.url("/")) |> .body(body) |> .timeout(.seconds(20)))
        #expect(try response.status == .contentTooLarge && response.text() == "too large")
        await ended.happened()
        withExtendedLifetime(more) {}
    }

    @Test(arguments: Version.allCases)
    func `after a refusal the idle limit counts again`(_ version: Version) async throws {
        let (server, client) = try version.server { _ in .status(.created) }
        server.earlyHandler = { _ in
            .text(String(repeating: "x", count: 1_000), status: .contentTooLarge).failing(.stall(.midBody(after: 500)))
        }
        let (body, more) = body()
        let draft = MutableRequest.post(server.url("/")) |> .body(body) |> .idleTimeout(.milliseconds(300))
        let error = await #expect(throws: HTTPError.self) {
            _ = try await client.send(draft |> .timeout(.seconds(60)))
        }
        guard case .timedOut(let failure)? = error else { return unexpected(error as Any) }
        #expect(failure.limit == .idle)
        await ended.happened()
        withExtendedLifetime(more) {}
    }

    @Test func `an empty element is no element`() async throws {
        let server = try MockServer { _ in .status(.created) }
        server.earlyHandler = { _ in .text("too large", status: .contentTooLarge) }
        let (body, more) = body()
        more.yield(Data())
        let response = try await CurlTransport().send(
            .post(server.url("/")) |> .body(body) |> .timeout(.seconds(60)))
        #expect(response.status == .contentTooLarge)
        await ended.happened()
        withExtendedLifetime(more) {}
    }

    @Test(arguments: Version.allCases)
    func `a redirect is followed`(_ version: Version) async throws {
        let (server, client) = try version.server { .text($0.path) }
        server.earlyHandler = { $0.path == "/new" ? nil : .redirect(to: "/new", status: .seeOther) }
        let (body, more) = body()
        let response = try await client.send(.post(server.url("/")) |> .body(body) |> .timeout(.seconds(60)))
        #expect(try response.status == .ok && response.text() == "/new")
        await ended.happened()
        withExtendedLifetime(more) {}
    }

    /// What the server does while the body is paused, and the error of the call; nil if there is none.
    struct Leave: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: MockResponse
        let isExpected: @Sendable (HTTPError?) -> Bool

        static let all = [
            Leave(testDescription: "a reset", answer: .fault(.reset(.beforeHead))) {
                if case .connection? = $0 { true } else { false }
            },
            Leave(testDescription: "an end", answer: .fault(.close(.beforeHead))) {
                if case .connection(let failure)? = $0 { failure.reason == .closedBeforeResponse } else { false }
            },
            Leave(testDescription: "an end in a head", answer: .text("x").failing(.close(.midHead))) {
                if case .connection? = $0 { true } else { false }
            },
            Leave(testDescription: "an end in a body", answer: .text("12345").failing(.close(.midBody(after: 2)))) {
                if case .truncatedBody? = $0 { true } else { false }
            },
            Leave(testDescription: "the end of a body", answer: .text("12345").framed(.untilClose)) { $0 == nil },
            Leave(
                testDescription: "the end of a refusal",
                answer: .text("12345", status: .contentTooLarge).framed(.untilClose)
            ) { $0 == nil },
            Leave(testDescription: "an announced end", answer: .text("12345").closing()) { $0 == nil },
            Leave(
                testDescription: "an announced end in chunks", answer: .text("12345").framed(.chunked()).closing()
            ) { $0 == nil },
            Leave(
                testDescription: "an announced end of a refusal, whose body comes behind the head",
                answer: .text("12345", status: .contentTooLarge).closing().taking(.milliseconds(50), in: .receiving)
            ) { $0 == nil },
        ]
    }

    enum Style: CaseIterable { case awaited, blocking, batch }

    @Test(arguments: Leave.all, Style.allCases)
    func `a connection that ends, ends the call`(_ leave: Leave, _ style: Style) async throws {
        let server = try MockServer { _ in .status(.created) }
        server.earlyHandler = { _ in leave.answer }
        let (body, more) = body()
        let request = try Request(.post(server.url("/")) |> .body(body) |> .timeout(.seconds(60)))
        let client = CurlTransport()
        let start = ContinuousClock.now
        let result: Result<Response, HTTPError>
        switch style {
        case .awaited:
            do throws(HTTPError) { result = .success(try await client.send(request)) } catch {
                result = .failure(error)
            }
        case .blocking: result = await onThread { client.executeRequest(request) }
        case .batch: result = await onThread { client.executeRequests([request])[0] }
        }
        switch result {
        case .success(let response): #expect(try leave.isExpected(nil) && response.text() == "12345")
        case .failure(let error): #expect(leave.isExpected(error), "\(error)")
        }
        // Before the limits, behind which a whole response is delivered, too.
        #expect(.now - start < .seconds(25))
        await ended.happened()
        withExtendedLifetime(more) {}
    }

    @Test func `the response comes while the request is not over`() async throws {
        let server = try MockServer { _ in .status(.created) }
        server.earlyHandler = { _ in .text("one\n") }
        let (body, more) = body()
        let draft = MutableRequest.post(server.url("/")) |> .body(body) |> .timeout(.seconds(60))
        var lines: [String] = []
        for try await line in CurlTransport().stream(draft, as: .lines) {
            lines.append(line)
            more.yield(Data("second".utf8))
            more.finish()
        }
        #expect(lines == ["one"])
        // The call is over when the last byte is sent, perhaps before the server has read it.
        _ = try? await server.wait(for: .requests(1))
        #expect(server.requests.map(\.text) == ["first,second"])
    }

    @Test func `in a batch it holds up no other request`() async throws {
        let (body, more) = body()
        let server = try MockServer { request in
            if request.path == "/second" { more.finish() }
            return .text(request.text)
        }
        let drafts = [
            MutableRequest.post(server.url("/first")) |> .body(body) |> .timeout(.seconds(60)),
            .get(server.url("/second")) |> .timeout(.seconds(60)),
        ]
        let requests = try drafts.map { try Request($0) }
        let results = await onThread { CurlTransport().executeRequests(requests) }
        #expect(try results.map { try $0.get().text() } == ["first,", ""])
    }

    /// With a length, also behind the last byte, as the sequence might go on.
    @Test(arguments: [nil, 6])
    func `in a batch it ends with the time of its request`(length: Int64?) async throws {
        let (body, more) = body(length: length)
        let server = try MockServer { .text($0.path) }
        let request = try Request(.post(server.url("/")) |> .body(body) |> .timeout(.milliseconds(100)))
        let results = await onThread { CurlTransport().executeRequests([request]) }
        guard case .failure(.timedOut(let failure))? = results.first else { return unexpected(results) }
        #expect(failure.limit == .total && failure.duration == .milliseconds(100))
        await ended.happened()
        withExtendedLifetime(more) {}
    }
}
