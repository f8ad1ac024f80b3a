import HTTPCore
import HTTPSupport
import Testing

@testable import HTTPMockServer
import HTTPTesting

/// Decisions of the server that need no socket.
@Suite struct MockServerDecisionTests {
    @Test(arguments: [
        ("/a", "/a", true), ("/a", "/a/", false), ("/a", "/b", false), ("/a/*", "/a/b", true), ("/a/*", "/a/", false),
        ("/a/*", "/a/b/c", false), ("/a/{id}/c", "/a/b/c", true), ("/a/**", "/a/b/c", true), ("/a/**", "/a", true),
        ("/a/**", "/ab", false),
        ("/a/**", "/a/", true), ("/**", "/", true), ("*", "*", true), ("/a*", "/ab", true),
        ("*", "/a", true), ("/a*", "/a", false), ("/a/**/c", "/a/b/c", true), ("/a/**/c", "/a/b", false),
        ("/{n}.json", "/x.json", true), ("/{n}.json", "/x.txt", false), ("/caf\u{E9}", "/caf%C3%A9", true),
    ])
    func `paths match by segments`(pattern: String, path: String, matches: Bool) {
        #expect(MockServer.Pattern(nil, pattern).matches(.sample(.get, path)) == matches)
    }

    @Test func `a head matches if only the body is against it`() {
        let pattern = MockServer.Pattern(.post, "/a", .text("x"))
        let request = ReceivedRequest.sample(.post, "/a")
        #expect(pattern.matchesHead(of: request))
        #expect(!pattern.matches(request))
        #expect(!pattern.matchesHead(of: .sample(.get, "/a")))
        #expect("\(pattern)" == #"POST /a with body text "x""#)
    }

    @Test(arguments: [
        ("/find?q", "/find?q=sea", true), ("/find?q", "/find?q", true), ("/find?q", "/find?p=sea", false),
        ("/find?q=", "/find?q=sea", false), ("http://a.example/b", "/b", true), ("http://*.example/b", "/b", true),
        ("https://a.example/b", "/b", false), ("http://b.example/b", "/b", false),
        ("http://a.example:81/b", "/b", false),
    ])
    func `a pattern means what a route of a stub means`(pattern: String, target: String, matches: Bool) throws {
        let received = ReceivedRequest.sample(.get, target, headers: ["Host": "A.example:80"])
        #expect(MockServer.Pattern(.get, pattern).matches(received) == matches)
        let stub = StubClient(strict: true).on(.get, pattern, answer: .ok)
        #expect(((try? stub.get("http://a.example\(target)")) != nil) == matches)
    }

    @Test func `a host is that of the Host field`() {
        let request = ReceivedRequest.sample(.get, "/", headers: ["Host": "A.example:80"])
        #expect(MockServer.Pattern(nil, nil, .host("a.example")).matches(request))
        #expect(
            MockServer.Pattern(nil, nil, .host("b.example")).differences(from: request)
                == ["host b.example: it is a.example"])
        #expect(
            MockServer.Pattern(nil, nil, .host("b.example")).differences(from: .sample(.get, "/"))
                == ["host b.example: it is missing"])
    }

    @Test func `what a proxy gets is for the host of its target`() {
        let request = ReceivedRequest.sample(
            .get, "http://b.example/x?u=http://a.example", headers: ["Host": "a.example"])
        #expect(MockServer.Pattern(.get, "http://b.example/x").matches(request))
        #expect(!MockServer.Pattern(.get, "http://a.example/x").matches(request))
        #expect(!MockServer.Pattern(.get, "https://b.example/x").matches(request))
        #expect(MockServer.Pattern(nil, nil, .host("b.example")).matches(request))
    }

    @Test func `JSON is compared by value`() {
        #expect(
            JSONValue(parsing: #"{"a":[1,true,null,"x"],"b":2.0}"#)
                == JSONValue(parsing: #"{ "b": 2, "a": [1, true, null, "x"] }"#))
        #expect(JSONValue(parsing: "[1,2]") != JSONValue(parsing: "[2,1]"))
        #expect(JSONValue(parsing: "true") != JSONValue(parsing: "1"))
        #expect(JSONValue(parsing: "no JSON") == nil)
    }

    @Test func `a pacer counts from its start`() {
        let start = ContinuousClock.now
        let pacer = Pacer(rate: 1_000_000, start: start)
        #expect(pacer.pieceSize == 10_000)
        #expect(pacer.due(after: 100_000) == start + .milliseconds(100))
        #expect(Pacer(rate: 5, start: start).pieceSize == 1)
        #expect(Pacer(rate: 0, start: start).rate == 1)
        #expect(Pacer(rate: .max, start: start).pieceSize == 16_384)
    }

    @Test func `ALPN selects the server's preferred protocol`() {
        func choice(_ offer: [String], _ names: [String]) -> String? {
            let list = names.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
            return list.withUnsafeBufferPointer { list in
                ProtocolOffer(offer).choice(from: list).map { String(decoding: list[$0], as: UTF8.self) }
            }
        }
        #expect(choice(["h2", "http/1.1"], ["http/1.1", "h2"]) == "h2")
        #expect(choice(["http/1.1", "h2"], ["h2", "http/1.1"]) == "http/1.1")
        #expect(choice(["h2"], ["http/1.1"]) == nil)
        #expect(ProtocolOffer(["h2"]).choice(from: UnsafeBufferPointer(start: nil, count: 0)) == nil)
        [200, 0x68].withUnsafeBufferPointer { #expect(ProtocolOffer(["h2"]).choice(from: $0) == nil) }
    }

    @Test func `the first bytes of a connection tell its protocol`() {
        func options(_ versions: [HTTPVersion]) -> ServerOptions {
            ServerOptions(bodyLimit: 0, answersContinue: true, versions: versions, http2: .init())
        }
        let preface = ServedProtocol.preface
        #expect(ServedProtocol(begin: [], options([.http1_1])) == .http1)
        #expect(ServedProtocol(begin: [], options([.http1_1, .http2])) == nil)
        #expect(ServedProtocol(begin: Array(preface.prefix(5)), options([.http2])) == nil)
        #expect(ServedProtocol(begin: preface + [1], options([.http1_1, .http2])) == .http2)
        #expect(ServedProtocol(begin: Array("POST".utf8), options([.http1_1, .http2])) == .http1)
        guard case .refused = ServedProtocol(begin: Array("POST".utf8), options([.http2])) else {
            Issue.record("HTTP/1.1 was let in")
            return
        }
    }

    @Test func `the head of an HTTP/2 request keeps octets that are not UTF-8`() {
        let field = HTTPHeaders.Field(name: "x-name", octets: [0x63, 0xE9])
        #expect(HTTP2RequestHead([field]).bytes == Array("x-name: c".utf8) + [0xE9, 0x0D, 0x0A])
    }

    @Test func `an HTTP/2 plan performs each fault at its point`() {
        let answer = MockResponse(status: 200, body: Array("abcd".utf8))
        let head = [
            HTTPHeaders.Field(name: ":status", value: "200"), HTTPHeaders.Field(name: "content-length", value: "4"),
        ]
        func plan(_ answer: MockResponse, _ method: HTTPMethod = .get) -> HTTP2Plan {
            HTTP2Plan(for: answer, to: method)
        }
        let body = Array("abcd".utf8)
        #expect(plan(answer).steps == [.head(head, hasBody: true), .data(body), .end(trailers: [])])
        #expect(plan(answer, .head).steps == [.head(head, hasBody: false)])
        #expect(
            plan(answer.closing()).steps == [.head(head, hasBody: true), .retire, .data(body), .end(trailers: [])])
        let cut = plan(answer.failing(.resetStream(.cancel, .midBody(after: 1))))
        #expect(cut.steps == [.head(head, hasBody: true), .data(Array("a".utf8))])
        #expect(cut.ending == .reset(.cancel))
        #expect(plan(answer.failing(.stall(.beforeHead))).steps == [])
        #expect(
            plan(answer.latency(.seconds(1)).bandwidth(bytesPerSecond: 9)).steps
                == [.pause(.seconds(1)), .head(head, hasBody: true), .paced(body, 9), .end(trailers: [])])
        #expect(
            plan(answer.failing(.trickle(bytes: 3, every: .seconds(1)))).steps
                == [
                    .head(head, hasBody: true), .data(Array("abc".utf8)), .pause(.seconds(1)), .data(Array("d".utf8)),
                    .end(trailers: []),
                ])
    }

    @Test func `error codes have the names of the standard`() {
        #expect("\(HTTP2ErrorCode.noError)" == "NO_ERROR")
        #expect("\(HTTP2ErrorCode.http11Required)" == "HTTP_1_1_REQUIRED")
        #expect("\(HTTP2ErrorCode(rawValue: 0xFF))" == "0xff")
    }

    @Test func `a missing library is named with how to install it`() {
        let error = MockServerError.missingLibrary("libnghttp2", advice: "install it: apt-get install libnghttp2-14")
        #expect("\(error)" == "libnghttp2 is not on this machine: install it: apt-get install libnghttp2-14")
        #expect(SystemLibrary(anyOf: ["libnothing-of-the-kind.so.1"]) == nil)
    }

    @Test(.enabled(if: Needs.tls, "\(Needs.tlsAdvice)"))
    func `a function that a library lacks is named`() throws {
        let library = try #require(SystemLibrary(anyOf: ["libssl.so.3", "libssl.so.1.1", "libssl.3.dylib"]))
        do throws(SystemLibrary.MissingFunction) {
            let _: NativeObject.Free = try library("SSL_no_such_function")
            Issue.record("found")
        } catch {
            #expect(error.name == "SSL_no_such_function")
        }
    }
}

extension ReceivedRequest {
    static func sample(_ method: HTTPMethod, _ target: String, headers: HTTPHeaders = [:]) -> ReceivedRequest {
        ReceivedRequest(
            method: method, target: target, version: "HTTP/1.1", head: [], headers: headers, body: [], bodyByteCount: 0,
            trailers: [:], isBodyComplete: true, connection: 1, index: 0, stream: nil, tls: nil)
    }
}
