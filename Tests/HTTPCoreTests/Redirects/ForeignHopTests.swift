import TestSupport
import HTTPCaching
import HTTPEngine
import HTTPObservability
import HTTPPolicies
import HTTPTransfers
import Foundation
import HTTPTesting
import Testing

import HTTPCore

/// Redirects to another origin that a cache or an authenticator follows: what the policies below add stays at home.
@Suite struct ForeignHopTests {
    private static let home = "http://home.test/"

    /// Home leads away, and the other origin answers, leads back or refuses.
    private static func stub(_ foreign: StubAnswer = .text("there"), home: StubAnswer = .text("back")) -> StubClient {
        StubClient()
            .on(.get, "http://home.test/", answer: .redirect(to: "http://foreign.test/there?a=1"))
            .on(.get, "http://home.test/back", answer: home)
            .on("http://foreign.test/**", answer: foreign)
    }

    private static func fields(_ stub: StubClient, _ name: String) -> [String?] {
        stub.requests.map { $0.request.headers[name] }
    }

    @Test func `a field that the caller lets cross is sent, and no other`() throws {
        let stub = Self.stub()
        let keys: RequestStep = .header("X-Api-Key", "k") |> .bearer("t") |> .header("Accept-Language", "de")
        let client = stub.intercepted(by: .cache(.memory(megabytes: 1)), .applying(keys))
        let policy = RedirectPolicy(crossOriginHeaders: ["x-api-KEY"])
        #expect(try client.send(.get(Self.home) |> .redirects(policy)).text() == "there")
        #expect(
            Self.fields(stub, "X-Api-Key") == ["k", "k"] && Self.fields(stub, "Authorization") == ["Bearer t", nil])
        #expect(Self.fields(stub, "Accept-Language") == ["de", "de"])
    }

    @Test func `a step that drops the defaults does not lift it`() throws {
        let home = Origin(scheme: .http, host: "home.test")
        let hop = try Request(.get("http://foreign.test/there")).asHop(from: home)
        let request = try Request(MutableRequest(hop) |> .withoutDefaults |> .header("X-Api-Key", "k"))
        #expect(request.headers.isEmpty && request.callOrigin == home)
    }

    @Test func `a token crosses where the caller says so, in both orders`() throws {
        for order in [
            [Interceptor.cache(.memory(megabytes: 1)), .bearer(BearerTokens("t"))], [.bearer(BearerTokens("t"))],
        ] {
            let stub = Self.stub()
            let policy = RedirectPolicy(crossOriginHeaders: ["Authorization"])
            _ = try stub.intercepted(by: Interceptor(order)).send(.get(Self.home) |> .redirects(policy))
            #expect(Self.fields(stub, "Authorization") == ["Bearer t", "Bearer t"])
        }
    }

    @Test func `no query, body or method is added on the way`() throws {
        let stub = Self.stub()
        let client = stub.intercepted(
            by: .cache(.memory(megabytes: 1)),
            .applying(
                RequestStep { draft in
                    guard draft.url.contains("foreign") else { return }
                    draft.method = .post
                    draft.body = .data(Data("secret=k".utf8))
                }),
            .applying(.query("key", "k")))
        #expect(try client.send(.get(Self.home)).text() == "there")
        #expect(stub.requests.map(\.url.string) == ["http://home.test/?key=k", "http://foreign.test/there?a=1"])
        #expect(stub.requests.map(\.method) == [.get, .get] && stub.requests.map(\.body.isEmpty) == [true, true])
    }

    @Test func `behind the other origin nothing is added again, not even at home`() throws {
        let stub = Self.stub(.redirect(to: Self.home + "back"))
        let client = stub.intercepted(by: .cache(.memory(megabytes: 1)), .applying(.header("X-Api-Key", "k")))
        #expect(try client.send(.get(Self.home)).text() == "back")
        #expect(Self.fields(stub, "X-Api-Key") == ["k", nil, nil])
    }

    @Test func `a redirect within the origin gets everything`() throws {
        let stub = StubClient().on(.get, "/", answer: .redirect(to: "/2")).on(.get, "/2", answer: .text("x"))
        let client = stub.intercepted(by: .cache(.memory(megabytes: 1)), .applying(.bearer("t") |> .query("key", "k")))
        #expect(try client.send(.get(Self.home)).text() == "x")
        #expect(Self.fields(stub, "Authorization") == ["Bearer t", "Bearer t"])
        #expect(stub.requests.map(\.url.target) == ["/?key=k", "/2?key=k"])
    }

    @Test func `a client that knows nothing of redirects gets a request without the fields, too`() throws {
        let client = ScriptedClient(
            ScriptedClient.status(.found, ["Location": "http://foreign.test/"]), ScriptedClient.status(.ok))
        let closure = Interceptor { request, next in next.executeRequest(MutableRequest(request) |> .bearer("t")) }
        let response = try client.intercepted(by: .cache(.memory(megabytes: 1)), closure).send(.get(Self.home))
        #expect(response.url.host == "foreign.test")
        #expect(client.requests.map { $0.headers["Authorization"] } == ["Bearer t", nil])
    }

    @Test func `the conditions of a cache below cross, as they are about what is there`() throws {
        let stub = Self.stub(
            .text("there").header("ETag", "\"1\"").header("Cache-Control", "max-age=1").then(.status(.notModified)))
        let client = stub.intercepted(
            by: .cache(.memory(megabytes: 1)), .applying(.header("X-Api-Key", "k")))
        for _ in 1...2 {
            #expect(try client.send(.get(Self.home)).text() == "there")
            stub.time.advance(by: .seconds(2))
        }
        #expect(Self.fields(stub, "If-None-Match") == [nil, nil, nil, "\"1\""])
        #expect(Self.fields(stub, "X-Api-Key") == ["k", nil, "k", nil])
    }

    @Test func `the caller may send the response's request again, with credentials of its own`() throws {
        let stub = Self.stub(.status(.unauthorized).then(.text("in")))
        let client = stub.intercepted(by: .validate(), .cache(.memory(megabytes: 1)), .applying(.bearer("t")))
        guard case .failure(.unacceptableStatus(let response)) = client.executeRequest(.get(Self.home)) else {
            return unexpected("accepted")
        }
        #expect(response.request.hop == nil && response.request.headers["Authorization"] == nil)
        _ = try stub.send(MutableRequest(response.request) |> .basic(user: "u", password: "p"))
        #expect(Self.fields(stub, "Authorization") == ["Bearer t", nil, "Basic dTpw"])
    }

    @Test func `an authenticator answers at its origin, and not where a server leads`() throws {
        let challenge = StubAnswer.status(
            .unauthorized, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""])
        let stub = StubClient()
            .on(.get, "http://home.test/in", answer: challenge.then(.text("in")))
            .on("http://foreign.test/", answer: challenge)
        let client = try stub.intercepted(by: .digest(user: "u", password: "p", for: Request(.get(Self.home)).origin))
        // A policy above has followed the redirect: the authenticator sees the other origin first.
        let hop = try Request(.get("http://foreign.test/")).asHop(from: Request(.get(Self.home)).origin)
        #expect(try client.send(hop).status == .unauthorized)
        #expect(try client.send(.get(Self.home + "in")).text() == "in")
        let sent = stub.requests.map { ($0.url.host, $0.headers.contains("Authorization")) }
        #expect(sent.map(\.0) == ["foreign.test", "home.test", "home.test"])
        #expect(sent.map(\.1) == [false, false, true])
    }

    @Test func `a condition of a policy below is for what is at home`() throws {
        let stub = Self.stub()
        let client = stub.intercepted(
            by: .cache(.memory(megabytes: 1)), .applying(.header("If-Match", "\"2\"")))
        #expect(try client.send(.get(Self.home)).text() == "there")
        #expect(Self.fields(stub, "If-Match") == ["\"2\"", nil])
    }

    @Test func `credentials for the other origin itself are sent there, and nothing of a policy below`() throws {
        let challenge = StubAnswer.status(
            .unauthorized, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""])
        let stub = Self.stub(challenge.then(.text("in")))
        let origin = try HTTPURL("http://foreign.test/").origin
        let client = stub.intercepted(
            by: .cache(.memory(megabytes: 1)), .digest(user: "u", password: "p", for: origin),
            .applying(.header("X-Api-Key", "k")))
        #expect(try client.send(.get(Self.home)).text() == "in")
        #expect(Self.fields(stub, "X-Api-Key") == ["k", nil, nil])
        #expect(Self.fields(stub, "Authorization").map { $0?.prefix(6) } == [nil, nil, "Digest"])
    }

    @Test(arguments: [true, false]) func `no trace context and no deadline crosses`(hasCache: Bool) throws {
        let stub = Self.stub()
        let trace = Interceptor.trace { _ in }
        let cache = hasCache ? [Interceptor.cache(.memory(megabytes: 1))] : []
        let client = stub.intercepted(by: Interceptor(cache + [trace]))
        let draft: MutableRequest = .get(Self.home) |> .sendingDeadline(as: "Request-Timeout")
        #expect(try client.send(draft).text() == "there")
        for name in ["traceparent", "Request-Timeout"] {
            #expect(Self.fields(stub, name).map { $0 != nil } == [true, false])
        }
        let listed = draft |> .redirects(RedirectPolicy(crossOriginHeaders: ["Request-Timeout"]))
        _ = try stub.send(listed)
        #expect(Self.fields(stub, "Request-Timeout").map { $0 != nil } == [true, false, true, true])
    }

    @Test func `a list of pages behind a cache sends its token home alone`() throws {
        let stub = StubClient()
            .on(.get, "http://home.test/1", answer: .json([1]).header("Link", "</2>; rel=\"next\""))
            .on(.get, "http://home.test/2", answer: .redirect(to: "http://foreign.test/2"))
            .on("http://foreign.test/2", answer: .json([2]).header("Link", "</3>; rel=\"next\""))
        let client = stub.intercepted(by: .cache(.memory(megabytes: 1)), .bearer(BearerTokens("t")))
        let pages = Array(client.pages(of: .get(Self.home + "1"), as: [Int].self).blocking)
        // The page after that would be at the other origin, which is refused.
        #expect(pages.compactMap { try? $0.get() } == [[1], [2]] && pages.count == 3)
        #expect(stub.requests.map(\.url.string).last == "http://foreign.test/2")
        #expect(Self.fields(stub, "Authorization") == ["Bearer t", "Bearer t", nil])
    }
}
