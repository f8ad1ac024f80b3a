import TestSupport
import HTTPCaching
import HTTPObservability
import HTTPPolicies
import HTTPTesting
import Testing

import HTTPCore

/// Two users of one cache, with policies below the cache that tell them apart: the key is made of what was sent.
@Suite struct SharedCacheTests {
    @TaskLocal private static var user: String?

    private let cache = HTTPCache.memory(megabytes: 1)

    /// A policy as others write one.
    private struct Signing: CallPolicy {
        mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
            guard case .answered(let outcome) = event else {
                return .send(MutableRequest(moment.request) |> .when(user != nil, .bearer(user ?? "")))
            }
            return .finish(outcome)
        }
    }

    /// Answers with what it received, and says that it may be kept.
    private static func server(vary: String? = "Authorization, Cookie, X-Api-Key") -> StubClient {
        StubClient().on("**") { call in
            let names = ["Authorization", "Cookie", "X-Api-Key", "Accept-Language"]
            let text = names.compactMap { call.headers[$0] }.joined(separator: " ") + call.url.target
            let answer = StubAnswer.text(text).header("Cache-Control", "max-age=60").header("ETag", "\"1\"")
            return vary.map { answer.header("Vary", $0) } ?? answer
        }
    }

    private func texts(_ client: any HTTPClient, of users: [String?], _ url: String = "http://h/a") throws -> [String] {
        try users.map { user in
            try Self.$user.withValue(user) { try client.send(.get(url)).text() }
        }
    }

    private static let credentials: [RequestStep] = [
        RequestStep { draft in if let user { draft.headers.set("Bearer \(user)", for: "Authorization") } },
        RequestStep { draft in if let user { draft.headers.set("sid=\(user)", for: "Cookie") } },
        RequestStep { draft in if let user { draft.headers.set(user, for: "X-Api-Key") } },
        RequestStep { draft in if let user { draft.query.append(QueryItem("user", user)) } },
    ]

    @Test(arguments: credentials.indices)
    func `a step below the cache tells users apart, and each gets a stored response of its own`(index: Int) throws {
        let stub = Self.server()
        let step = Self.credentials[index]
        let client = stub.intercepted(by: .cache(cache), .applying(step))
        let users: [String?] = [nil, "ada", "ben", "ada", "ben", nil]
        let texts = try texts(client, of: users)
        for (text, user) in zip(texts, users) { #expect(text.contains(user ?? "/a") && (user != nil || text == "/a")) }
        #expect(stub.requestCount == 3, "the later three are hits")
    }

    @Test func `a step that is made for each call tells users apart`() throws {
        let stub = Self.server()
        let client = stub.intercepted(by: .cache(cache), .applying { Self.user.map { .bearer($0) } ?? .none })
        #expect(
            try texts(client, of: [nil, "ada", "ben", "ada", nil]) == [
                "/a", "Bearer ada/a", "Bearer ben/a", "Bearer ada/a", "/a",
            ])
        #expect(stub.requestCount == 3)
    }

    @Test(arguments: ["Authorization", nil])
    func `a closure below the cache tells users apart, also from nobody`(vary: String?) throws {
        let stub = Self.server(vary: vary)
        let closure = Interceptor { request, next in
            next.executeRequest(MutableRequest(request) |> .when(Self.user != nil, .bearer(Self.user ?? "")))
        }
        let client = stub.intercepted(by: .cache(cache), closure)
        #expect(
            try texts(client, of: ["ada", "ben", nil, "ada"]) == [
                "Bearer ada/a", "Bearer ben/a", "/a", vary == nil ? "/a" : "Bearer ada/a",
            ])
        // Without Vary, the server says that the answer to nobody is everybody's.
        #expect(stub.requestCount == (vary == nil ? 3 : 4))
    }

    @Test func `a foreign policy below the cache tells users apart`() throws {
        let client = Self.server().intercepted(by: .cache(cache), Interceptor(Signing()))
        #expect(
            try texts(client, of: [nil, "ada", "ben", "ada"]) == ["/a", "Bearer ada/a", "Bearer ben/a", "Bearer ada/a"])
    }

    @Test func `tokens below the cache: another token is another user, and the same one hits`() throws {
        let stub = Self.server(vary: nil)
        let tokens = BearerTokens("ada")
        let client = stub.intercepted(by: .cache(cache), .bearer(tokens))
        let other = stub.intercepted(by: .cache(cache), .bearer(BearerTokens { _ in "ben" }))
        #expect(try texts(client, of: [nil, nil]) == ["Bearer ada/a", "Bearer ada/a"])
        #expect(try texts(other, of: [nil, nil]) == ["Bearer ben/a", "Bearer ben/a"])
        tokens.set(nil)
        #expect(try texts(client, of: [nil]) == ["/a"])
        tokens.set("ada")
        #expect(try client.send(.get("http://h/a")).cacheStatus?.isHit == true)
        #expect(stub.requestCount == 3)
    }

    @Test func `a step that fails below the cache fails the call, also where something is stored`() throws {
        let stub = Self.server()
        let step = RequestStep { draft throws(HTTPError) in
            if Self.user == nil { throw .invalidRequest(InvalidRequest(draft, "nobody is logged in")) }
            draft.headers.set("Bearer x", for: "Authorization")
        }
        let client = stub.intercepted(by: .cache(cache), .applying(step))
        #expect(try texts(client, of: ["ada"]) == ["Bearer x/a"])
        guard case .failure(.invalidRequest) = client.executeRequest(.get("http://h/a")) else {
            return unexpected("no failure")
        }
        #expect(stub.requestCount == 1)
    }

    @Test func `a static field below the cache is part of the key, and is reused`() throws {
        let stub = Self.server(vary: "Accept-Language")
        let german = stub.intercepted(by: .cache(cache), .retry(), .applying(.header("Accept-Language", "de")))
        let english = stub.intercepted(by: .cache(cache), .applying(.header("Accept-Language", "en")), .log { _ in })
        #expect(try texts(german, of: [nil, nil]) == ["de/a", "de/a"])
        #expect(try texts(english, of: [nil, nil]) == ["en/a", "en/a"])
        #expect(stub.requestCount == 2)
    }

    @Test func `no-store below the cache keeps the response from being stored`() throws {
        let stub = Self.server()
        let client = stub.intercepted(by: .cache(cache), .applying(.header("Cache-Control", "no-store")))
        _ = try texts(client, of: [nil, nil])
        #expect(stub.requestCount == 2 && cache.entries.isEmpty)
    }

    @Test func `a response to another URL or method than was asked for is not stored`() throws {
        let stub = Self.server()
        for change in [RequestStep { $0.url = "http://h/b" }, RequestStep { $0.method = .head }] {
            let closure = Interceptor { request, next in next.executeRequest(MutableRequest(request) |> change) }
            let client = stub.intercepted(by: .cache(cache), closure)
            _ = try client.send(.get("http://h/a"))
            #expect(cache.entries.isEmpty)
        }
        // A 304 about another URL confirms nothing.
        let plain = stub.intercepted(by: .cache(cache))
        _ = try plain.send(.get("http://h/c"))
        stub.time.advance(by: .seconds(61))
        let other = try Request(.get("http://h/d"))
        let closure = Interceptor { request, next in
            guard !request.headers.contains("If-None-Match") else {
                return .success(Response(request: other, status: .notModified))
            }
            return next.executeRequest(MutableRequest(request) |> .header("X-Api-Key", "k"))
        }
        #expect(try stub.intercepted(by: .cache(cache), closure).send(.get("http://h/c")).text() == "k/c")
    }

    @Test func `the cookies in the key are those that were sent, and not those that came with the response`() throws {
        let stub = StubClient().on(.get, "/") { call in
            let session = call.headers["Cookie"]
            let answer = StubAnswer.text(session ?? "nobody").header("Cache-Control", "max-age=60").header(
                "Vary", "Cookie")
            return session == nil ? answer.header("Set-Cookie", "sid=1") : answer
        }
        for order in [[Interceptor.cache(cache)], [.cache(.memory(megabytes: 1)), .applying(.cookies(CookieJar()))]] {
            let client = stub.intercepted(by: Interceptor(order))
            let draft: MutableRequest = .get("http://h/") |> .when(order.count == 1, .cookies(CookieJar()))
            #expect(try client.send(draft).text() == "nobody")
            #expect(try client.send(draft).text() == "sid=1")
            #expect(try client.send(draft).cacheStatus?.isHit == true)
        }
        #expect(stub.requestCount == 4)
    }

    @Test func `a caller's own Host field is part of the key`() throws {
        let stub = StubClient().on(.get, "/") { call in
            .text(call.headers["Host"] ?? "own").header("Cache-Control", "max-age=60")
        }
        let client = stub.intercepted(by: .cache(cache))
        for host in [nil, "a", "b", nil, "a"] {
            let draft: MutableRequest = .get("http://h/") |> .when(host != nil, .header("Host", host ?? ""))
            #expect(try client.send(draft).text() == host ?? "own")
        }
        #expect(stub.requestCount == 3)
    }
}
