import Foundation
import HTTPMockServer
import HTTPOpenAPI
import HTTPTypes
import OpenAPIRuntime
import HTTPTesting
import Straightline
import Testing

@Suite struct OpenAPITests {
    private let transport = StraightlineTransport(CurlTransport())

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: HTTPBody? = nil, to server: MockServer,
        _ fields: HTTPFields = [:]
    ) async throws -> (HTTPResponse, HTTPBody?) {
        let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: fields)
        let base = try #require(URL(string: server.url("/v1/")))
        return try await transport.send(request, body: body, baseURL: base, operationID: "test")
    }

    @Test func `a request goes on from the path of the server, and its answer comes back`() async throws {
        let server = try MockServer { _ in .json(text: #"{"id": 1}"#, status: 201) }
        let (head, body) = try await send(
            .post, "/orders?page=2", HTTPBody(#"{"name": "Ada"}"#), to: server, [.contentType: "application/json"])
        #expect(head.status == .created && head.headerFields[.contentType] == "application/json")
        #expect(try await String(decoding: Data(collecting: #require(body), upTo: 100), as: UTF8.self) == #"{"id": 1}"#)
        let received = try #require(server.requests.first)
        #expect(
            received.method == .post && received.target == "/v1/orders?page=2" && received.text == #"{"name": "Ada"}"#)
        #expect(received.headers["Content-Type"] == "application/json" && received.headers["Content-Length"] == "15")
    }

    @Test func `a refusal is a response with its body`() async throws {
        let server = try MockServer { _ in .json(text: #"{"message": "nobody"}"#, status: 404) }
        let (head, body) = try await send(.get, "/orders/1", to: server)
        #expect(head.status == .notFound)
        #expect(try await Data(collecting: #require(body), upTo: 100) == Data(#"{"message": "nobody"}"#.utf8))
    }

    @Test func `a response is read while it arrives`() async throws {
        // The rest of the body never comes, so what is read here has not waited for the end.
        let server = try MockServer { _ in
            MockResponse.text("first piece, and what follows").failing(.stall(.midBody(after: 11)))
        }
        let (head, body) = try await send(.get, "/events", to: server)
        #expect(head.status == .ok && body?.length == .known(29))
        var bytes: [UInt8] = []
        for try await chunk in try #require(body) {
            bytes += chunk
            if bytes.count >= 11 { break }
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "first piece")
    }

    @Test func `a request's body is sent while its sequence goes on`() async throws {
        let server = try MockServer { request in .text("\(request.body.count) bytes") }
        let (pieces, more) = AsyncStream<[UInt8]>.makeStream()
        let body = HTTPBody(pieces, length: .unknown, iterationBehavior: .single)
        more.yield(Array("one".utf8))
        async let answer = send(.put, "/upload", body, to: server)
        // The second piece is made once the server has been called.
        try await server.wait(for: .connections(1))
        more.yield(Array("two".utf8))
        more.finish()
        let (head, text) = try await answer
        #expect(head.status == .ok)
        #expect(try await Data(collecting: #require(text), upTo: 100) == Data("6 bytes".utf8))
        #expect(server.requests.map(\.text) == ["onetwo"])
        #expect(server.requests.first?.headers["Transfer-Encoding"] == "chunked")
    }

    @Test func `what the sequence of a body throws ends the call`() async throws {
        struct Broken: Error {}
        let server = try MockServer { _ in .text("ok") }
        let pieces = AsyncThrowingStream<[UInt8], any Error> { $0.finish(throwing: Broken()) }
        let body = HTTPBody(pieces, length: .unknown, iterationBehavior: .single)
        let error = await #expect(throws: HTTPError.self) { _ = try await send(.put, "/", body, to: server) }
        guard case .body(let failure) = error else { return #expect("\(error, default: "")" == "body") }
        #expect(failure.underlying is Broken && server.requests.allSatisfy { !$0.isBodyComplete })
    }

    @Test(arguments: [4, 10, 12])
    func `a short body is as long as announced, or is not sent`(_ count: Int) async throws {
        let server = try MockServer { _ in .text("ok") }
        let pieces = AsyncStream<[UInt8]> {
            $0.yield([UInt8](repeating: 7, count: count)); $0.finish()
        }
        let body = HTTPBody(pieces, length: .known(10), iterationBehavior: .single)
        do {
            _ = try await send(.put, "/", body, to: server)
            #expect(count == 10 && server.requests.map(\.body.count) == [10])
        } catch HTTPError.body(let failure) {
            #expect(
                failure.reason
                    == (count < 10
                        ? .sourceTooShort(expected: 10, actual: 4) : .sourceTooLong(expected: 10, atLeast: 12)))
            #expect(count != 10 && server.connectionCount == 0)
        }
    }

    @Test func `what the sequence of a short body throws is the call's error`() async throws {
        struct Broken: Error {}
        let server = try MockServer { _ in .text("ok") }
        let pieces = AsyncThrowingStream<[UInt8], any Error> {
            $0.yield([1, 2]); $0.finish(throwing: Broken())
        }
        let body = HTTPBody(pieces, length: .known(10), iterationBehavior: .single)
        let error = await #expect(throws: HTTPError.self) { _ = try await send(.put, "/", body, to: server) }
        guard case .body(let failure) = error else { return #expect("\(error, default: "")" == "body") }
        #expect(failure.reason == .source && failure.underlying is Broken && server.connectionCount == 0)
    }

    @Test func `a task that is cancelled while its body is collected ends as cancelled`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let (pieces, more) = AsyncStream<[UInt8]>.makeStream()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let noticed = pieces.map { piece in
            begin.yield()
            return piece
        }
        let task = Task {
            try await send(.put, "/", HTTPBody(noticed, length: .known(10), iterationBehavior: .single), to: server)
        }
        more.yield([1, 2])
        for await _ in begun { break }
        task.cancel()
        let error = await #expect(throws: HTTPError.self) { _ = try await task.value }
        guard case .cancelled = error else { return #expect("\(error, default: "")" == "cancelled") }
        #expect(server.connectionCount == 0)
    }

    @Test func `a long body that can be read again is repeated, and one that cannot is not`() async throws {
        let server = try MockServer { request in
            request.path == "/v1/old" ? .redirect(to: "/new", status: 307) : .text("ok")
        }
        let long = [UInt8](repeating: 7, count: 100_000)
        let (head, _) = try await send(.put, "/old", HTTPBody(Data(long)), to: server)
        #expect(head.status == .ok && server.requests.map(\.body.count) == [100_000, 100_000])
        let pieces = AsyncStream<[UInt8]> {
            $0.yield(long); $0.finish()
        }
        let once = HTTPBody(pieces, length: .known(100_000), iterationBehavior: .single)
        await #expect(throws: HTTPError.self) { _ = try await send(.put, "/old", once, to: server) }
        #expect(server.requests.count == 3)
    }

    @Test func `HEAD has no body`() async throws {
        let server = try MockServer { _ in .text("hello") }
        let (head, body) = try await send(.head, "/", to: server)
        #expect(head.status == .ok && body == nil && server.requests.map(\.method) == [.head])
    }

    @Test func `a stub is a transport, too`() async throws {
        let stub = StubClient().on(.get, "/v1/orders", answer: .json(["id": 1]))
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/orders")
        let (head, body) = try await StraightlineTransport(stub).send(
            request, body: nil, baseURL: #require(URL(string: "https://example.com/v1")), operationID: "list")
        #expect(head.status == .ok)
        #expect(try await Data(collecting: #require(body), upTo: 100) == Data(#"{"id":1}"#.utf8))
    }
}
