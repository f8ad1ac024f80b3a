import CLibcurl
import HTTPPolicies
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

private let sendsTrailers = (shim_version_info()?.pointee.version_num ?? 0) >= 0x080700

/// Trailer fields of requests, where libcurl can send them.
@Suite(.enabled(if: sendsTrailers, "needs libcurl 8.7"), .timeLimit(.minutes(5))) struct SentTrailerTests {
    private let client = CurlTransport()
    private let server: MockServer

    init() throws { server = try MockServer { _ in .text("ok") } }

    private static let sum = RequestStep.trailers("X-Sum") { ["X-Sum": "42"] }

    @Test(arguments: ["memory", "large", "file", "form", "compressed"])
    func `they follow a body of any kind, and the next request has none`(kind: String) throws {
        let directory = try ScratchDirectory()
        let path = try directory.write("waves".utf8, to: "f")
        let step: RequestStep =
            switch kind {
            case "memory": .text("waves")
            case "large": .data(Data(count: 1_000_000))
            case "file": .file(path)
            case "form": .multipart(.text("title", "Sea"))
            default: .text("waves") |> .compressed()
            }
        for _ in 0..<2 {
            _ = try client.send(.put(server.url) |> step |> Self.sum).validated()
            let received = try server.takeRequest()
            #expect(received.trailers == ["X-Sum": "42"] && received.headers["Trailer"] == "X-Sum")
            #expect(received.headers["Content-Length"] == nil && received.headers["Transfer-Encoding"] == "chunked")
            #expect(received.isBodyComplete && !received.body.isEmpty)
            if kind == "memory" || kind == "file" { #expect(received.text == "waves") }
        }
        _ = try client.send(.put(server.url) |> step).validated()
        let plain = try server.takeRequest()
        #expect(plain.trailers.isEmpty && plain.headers["Trailer"] == nil)
        #expect(server.protocolViolations.isEmpty)
    }

    @Test func `none, several and empty ones are sent as given`() throws {
        let values = Locked<[HTTPHeaders]>([[:], ["A": "1", "b": "2", "a": "3"], ["B": ""]])
        let step = RequestStep.trailers("A", "B") { values.withLock { $0.removeFirst() } }
        let requests = try (0..<3).map { _ in try Request(.post(server.url) |> .text("x") |> step) }
        for request in requests { _ = try client.send(request) }
        #expect(server.requests.map(\.trailers) == [[:], ["A": "1", "b": "2", "a": "3"], ["B": ""]])
        #expect(server.requests.allSatisfy { $0.headers["Trailer"] == "A, B" })
    }

    @Test func `they are made anew for each attempt and each request of a batch`() throws {
        let count = Locked(0)
        let step = RequestStep.trailers("N") {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return ["N": "\(number)"]
        }
        server.enqueue(.status(503))
        let retrying = client.intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .zero))))
        _ = try retrying.send(.put(server.url) |> .text("x") |> step).validated()
        // Twice, because a loop reuses the state of a call.
        for _ in 0..<2 { try batch(step) }
        #expect(Set(server.requests.map { $0.trailers["N"] }) == ["1", "2", "3", "4", "5", "6"])
    }

    private func batch(_ step: RequestStep) throws {
        let results = client.executeRequests((0..<2).map { _ in .put(server.url) |> .text("x") |> step })
        for result in results { _ = try result.get().validated() }
    }

    @Test func `the request uses HTTP/1.1 even if the server offers HTTP/2`() throws {
        let server = try MockServer(security: .tls(), versions: [.http2, .http1_1]) { _ in .text("ok") }
        var configuration = CurlConfiguration()
        configuration.tls.authorities = try #require(server.certificateAuthority).trust
        let client = try CurlTransport(configuration)
        #expect(try client.send(.get(server.url)).version == .http2)
        #expect(try client.send(.post(server.url) |> .text("x") |> Self.sum).version == .http1_1)
        #expect(server.requests.last?.trailers == ["X-Sum": "42"])
        #expect(try client.send(.get(server.url)).version == .http2)
    }

    @Test func `a redirect within the origin takes them along with the body`() throws {
        let elsewhere = try MockServer { _ in .text("ok") }
        func answer(_ status: HTTPStatus, _ target: String) -> MockResponse {
            MockResponse.status(status).header("Location", target)
        }
        for (status, target) in [(HTTPStatus(307), "/y"), (303, "/y"), (307, elsewhere.url("/y"))] {
            server.enqueue(answer(status, target))
            _ = try client.send(.put(server.url("/x")) |> .text("x") |> Self.sum).validated()
        }
        let sent = server.requests.filter { $0.path == "/y" }
        #expect(sent.map(\.method) == [.put, .get])
        #expect(sent.map(\.trailers) == [["X-Sum": "42"], [:]] && sent[1].headers["Trailer"] == nil)
        let crossed = try #require(elsewhere.requests.first)
        #expect(crossed.trailers == [:] && crossed.headers["Trailer"] == nil && crossed.text == "x")
        #expect(crossed.headers["Content-Length"] == "1")
    }

    private struct NoSum: Error, CustomStringConvertible { let description = "no sum" }

    @Test(
        arguments: [
            ("no sum", [:]), (#"the field "X-Other" is not among"#, ["X-Other": "1"]),
            ("the value of the field X-Sum", ["X-Sum": "1\r\nEvil: 1"]),
            ("the value of the field X-Sum", ["X-Sum": " 1"]),
        ] as [(String, HTTPHeaders)])
    func `an invalid trailer ends the call, and the server gets no complete request`(words: String, fields: HTTPHeaders)
        throws
    {
        let step = RequestStep.trailers("X-Sum") {
            if fields.isEmpty { throw NoSum() }
            return fields
        }
        let error = #expect(throws: HTTPError.self) { try client.send(.post(server.url) |> .text("x") |> step) }
        guard case .body(let failure)? = error, failure.reason == .trailers else {
            return #expect(Bool(false), "\(error as Any)")
        }
        #expect("\(HTTPError.body(failure))".contains(words))
        #expect(try client.send(.get(server.url("/next"))).status == .ok)
        #expect(server.requests.filter { $0.path != "/next" }.allSatisfy { !$0.isBodyComplete })
    }
}

/// Trailer fields that are not sent.
@Suite(.timeLimit(.minutes(5))) struct RefusedTrailerTests {
    private let client = CurlTransport()
    private let server: MockServer

    init() throws { server = try MockServer { _ in .text("ok") } }

    private static let sum = RequestStep.trailers("X-Sum") { ["X-Sum": "42"] }

    @Test(.enabled(if: !sendsTrailers, "needs a libcurl before 8.7"), arguments: [VersionPolicy.automatic, .http1])
    func `a libcurl that cannot send them safely refuses them before anything is sent`(version: VersionPolicy) throws {
        let made = Locked(0)
        let step = RequestStep.trailers("X-Sum") {
            made.withLock { $0 += 1 }
            return ["X-Sum": "42"]
        }
        let draft = .post(server.url("/x")) |> .text("waves") |> step |> .version(version)
        for result in [client.executeRequest(draft)] + client.executeRequests([draft, draft]) {
            guard case .failure(.unsupported(let unsupported)) = result else {
                return #expect(Bool(false), "\(result)")
            }
            #expect(unsupported.feature == "trailer fields after a body")
            let version = try #require(shim_version_info()?.pointee.version)
            #expect(unsupported.reason.contains("libcurl \(String(cString: version))"))
        }
        #expect(server.connectionCount == 0 && made.withLock { $0 } == 0)
        #expect(try client.send(.post(server.url("/x")) |> .text("waves")).status == .ok)
        #expect(try server.takeRequest().text == "waves")
    }

    @Test(arguments: [
        "Authorization", "Cache-Control", "Connection", "Cookie", "Expect", "Host", "Keep-Alive", "Max-Forwards",
        "Pragma", "Range", "Set-Cookie", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "If-Match",
        "If-Modified-Since", "Proxy-Authorization", "Content-Type", "Content-Encoding", "Content-Length",
        "Content-Range",
    ])
    func `a field that is needed before the body is no trailer`(name: String) {
        let error = #expect(throws: HTTPError.self) {
            try client.send(.post(server.url) |> .text("x") |> .trailers("X-Sum", name) { [:] })
        }
        guard case .invalidRequest(let invalid)? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(invalid.reason.contains("the field \(name) has to stand in front of the body"))
        #expect(server.connectionCount == 0)
    }

    @Test(
        arguments: [
            ("no token", .text("x") |> .trailers("X Sum") { [:] }, "is not a token"),
            ("no names", .text("x") |> .trailers { [:] }, "need names"),
            ("no body", .trailers("X-Sum") { [:] }, "there is none"),
            ("empty body", .text("") |> .trailers("X-Sum") { [:] }, "there is none"),
        ] as [(String, RequestStep, String)])
    func `a field that is not allowed in trailers is refused before anything is sent`(
        name: String, step: RequestStep, words: String
    ) {
        let error = #expect(throws: HTTPError.self) { try client.send(.post(server.url) |> step) }
        guard case .invalidRequest(let invalid)? = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(invalid.reason.contains(words))
        #expect(server.connectionCount == 0)
    }
}
