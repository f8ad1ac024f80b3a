import Foundation
import TestSupport
import HTTPPolicies
import HTTPSupport
import HTTPTesting
import Testing

import HTTPCore

/// The course of calls, over a stub that plays the server.
@Suite struct DigestInterceptorTests {
    private let journal = Journal()
    private let home = Origin(scheme: .http, host: "h")

    /// What was sent: the target and the parameters of the credentials.
    private final class Journal: Sendable {
        private let requests = Locked<[Request]>([])
        var all: [Request] { requests.withLock { $0 } }
        func note(_ request: Request) { requests.withLock { $0.append(request) } }

        /// Nonce and count of each; a dash for none.
        var uses: [String] {
            all.map { request in
                guard let value = request.headers["Authorization"] else { return "-" }
                let found = AuthenticationChallenge.parse([value]).first
                return "\(found?["nonce"] ?? "") \(found?["nc"] ?? "")"
            }
        }
    }

    private func client(
        for origin: Origin? = nil, _ answer: @escaping @Sendable (Request, Int) -> (HTTPStatus, HTTPHeaders)
    ) -> any HTTPClient {
        let stub = StubClient { [journal] request in
            journal.note(request)
            let (status, headers) = answer(request, journal.all.count)
            return .success(Response(request: request, status: status, headers: headers))
        }
        return stub.intercepted(by: .digest(user: "u", password: "p", for: origin ?? home))
    }

    private static func challenge(_ nonce: String, _ more: String = "") -> (HTTPStatus, HTTPHeaders) {
        (.unauthorized, ["WWW-Authenticate": "Digest realm=\"r\", qop=\"auth\", nonce=\"\(nonce)\"\(more)"])
    }

    @Test func `the first request has no credentials, and later ones count the known nonce`() throws {
        let client = client { request, _ in
            request.headers.contains("Authorization") ? (.ok, [:]) : Self.challenge("n")
        }
        for _ in 0..<3 { #expect(try client.send(.post("http://h/a?b") |> .text("x")).status == .ok) }
        #expect(journal.uses == ["-", "n 00000001", "n 00000002", "n 00000003"])
        #expect(journal.all.allSatisfy { $0.method == .post && $0.body == .text("x") })
    }

    @Test func `a second 401 is the response, and the next call starts over`() throws {
        let client = client { _, count in Self.challenge("n\(count)") }
        #expect(try client.send(.get("http://h/")).status == .unauthorized)
        #expect(journal.uses == ["-", "n1 00000001"])
        #expect(try client.send(.get("http://h/")).status == .unauthorized)
        #expect(journal.uses == ["-", "n1 00000001", "-", "n3 00000001"])
    }

    @Test(arguments: ["", ", stale=true"])
    func `a known nonce that the server no longer accepts is replaced within the call`(more: String) throws {
        let client = client { _, count in
            [1, 3].contains(count) ? Self.challenge("n\(count)", more) : (.ok, [:])
        }
        #expect(try client.send(.get("http://h/")).status == .ok)
        #expect(try client.send(.get("http://h/")).status == .ok)
        #expect(journal.uses == ["-", "n1 00000001", "n1 00000002", "n3 00000001"])
    }

    @Test func `an answer is repeated only if its nonce is stale, at most twice`() throws {
        let client = client { _, count in Self.challenge("n\(count)", count == 1 ? "" : ", stale=true") }
        #expect(try client.send(.get("http://h/")).status == .unauthorized)
        #expect(journal.uses == ["-", "n1 00000001", "n2 00000001", "n3 00000001"])
    }

    @Test func `the server may name the next nonce`() throws {
        let client = client { _, count in
            count == 1 ? Self.challenge("n") : (.ok, ["Authentication-Info": "qop=auth, nextnonce=\"m\(count)\""])
        }
        for _ in 0..<2 { _ = try client.send(.get("http://h/")) }
        #expect(journal.uses == ["-", "n 00000001", "m2 00000001"])
    }

    @Test func `other origins get no credentials, by a request or by a redirect`() throws {
        let elsewhere = Response(
            request: try Request(.get("http://other/")), status: .unauthorized, headers: Self.challenge("evil").1)
        let stub = StubClient { [journal] request in
            journal.note(request)
            return .success(elsewhere)
        }
        let origin = Origin(scheme: .https, host: "h")
        let client = stub.intercepted(by: .digest(user: "u", password: "p", for: origin))
        for url in ["https://h/", "http://h/", "https://h:444/", "https://other/"] {
            #expect(try client.send(.get(url)).status == .unauthorized)
        }
        #expect(journal.uses == ["-", "-", "-", "-"])
    }

    @Test func `a redirect within the origin is answered separately, once`() throws {
        let hop = try Request(.get("http://h/hop"))
        let stub = StubClient { [journal] request in
            journal.note(request)
            let isAtHop = request.url.target == "/hop"
            let isAuthorized = request.headers.contains("Authorization")
            // The answer at /start is a redirect, which the transport followed without the credentials.
            return .success(
                Response(
                    request: isAuthorized && !isAtHop ? hop : request,
                    status: isAuthorized && isAtHop ? .ok : .unauthorized,
                    headers: Self.challenge("n").1))
        }
        let client = stub.intercepted(by: .digest(user: "u", password: "p", for: home))
        #expect(try client.send(.get("http://h/start")).status == .ok)
        #expect(journal.all.map(\.url.target) == ["/start", "/start", "/hop"])
        #expect(journal.all.last?.headers["Authorization"]?.contains("uri=\"/hop\"") == true)
    }

    @Test func `what policies behind it add is there once when the request is sent again`() throws {
        let stub = StubClient { [journal] request in
            journal.note(request)
            let isAuthorized = request.headers.contains("Authorization")
            let (status, headers) = isAuthorized ? (HTTPStatus.ok, [:]) : Self.challenge("n")
            return .success(Response(request: request, status: status, headers: headers))
        }
        let coded = RequestStep { draft in draft.body = .text("coded \(draft.body == .text("x"))") }
        let client = stub.intercepted(
            by: .digest(user: "u", password: "p", for: home), .applying(.addingHeader("X-Tag", "a")), .applying(coded))
        #expect(try client.send(.post("http://h/a") |> .text("x")).status == .ok)
        #expect(journal.all.map { $0.headers.values(for: "X-Tag") } == [["a"], ["a"]])
        #expect(journal.all.map(\.body) == [.text("coded true"), .text("coded true")])
    }

    @Test func `a nonce that a redirect kept from being sent is not forgotten`() throws {
        let target = try HTTPURL("http://h/hop")
        let stub = StubClient { [journal] request in
            journal.note(request)
            let isAtHop = request.url.target == "/hop"
            guard request.headers.contains("Authorization") else {
                return .success(Response(request: request, status: .unauthorized, headers: Self.challenge("n").1))
            }
            // Followed by the transport, without the credentials.
            let followed = RedirectHop(status: .found, method: .get, url: request.url, location: target)
            return isAtHop
                ? .success(Response(request: request, status: .ok))
                : .success(
                    Response(
                        request: request.redirected(to: target, by: .found),
                        status: .unauthorized, headers: Self.challenge("n").1, redirects: [followed]))
        }
        let client = stub.intercepted(by: .digest(user: "u", password: "p", for: home))
        #expect(try client.send(.get("http://h/start")).status == .ok)
        #expect(journal.uses == ["-", "n 00000001", "n 00000002"])
    }

    @Test func `a caller's own Authorization is left alone`() throws {
        let client = client { _, _ in Self.challenge("n") }
        #expect(try client.send(.get("http://h/") |> .bearer("t")).status == .unauthorized)
        #expect(journal.all.map { $0.headers["Authorization"] } == ["Bearer t"])
    }

    @Test func `a 401 without a Digest challenge is the response`() throws {
        let client = client { _, _ in (.unauthorized, ["WWW-Authenticate": "Basic realm=\"r\""]) }
        #expect(try client.send(.get("http://h/")).status == .unauthorized)
        #expect(journal.uses == ["-"])
    }

    @Test func `a challenge that a policy behind it has made a failure is answered`() throws {
        let stub = StubClient { [journal] request in
            journal.note(request)
            let isAuthorized = request.headers.contains("Authorization")
            let (status, headers) = isAuthorized ? (.ok, [:]) : Self.challenge("n")
            return .success(Response(request: request, status: status, headers: headers))
        }
        let client = stub.intercepted(by: .digest(user: "u", password: "p", for: home), .validate())
        #expect(try client.send(.get("http://h/")).status == .ok)
        #expect(journal.uses == ["-", "n 00000001"])
    }

    @Test func `a challenge that cannot be answered is an error that names host and reason`() {
        let origin = Origin(scheme: .http, host: "h", port: 81)
        let client = client(for: origin) { _, _ in Self.challenge("n", ", algorithm=SHA-3") }
        guard case .failure(.unsupported(let failure)) = client.executeRequest(.get("http://h:81/")) else {
            return unexpected("sent")
        }
        #expect(failure.feature == "Digest authentication at h:81")
        #expect(failure.reason.contains("\"SHA-3\""))
        #expect(journal.uses == ["-"])
    }

    @Test(arguments: [("a:b", "p"), ("a\nb", "p"), ("a", "p\u{0}q")])
    func `names and passwords that the scheme cannot encode fail before anything is sent`(
        user: String, password: String
    ) {
        let stub = StubClient { [journal] request in
            journal.note(request)
            return .success(Response(request: request, status: .ok))
        }
        let client = stub.intercepted(by: .digest(user: user, password: password, for: home))
        guard case .failure(.invalidRequest(let failure)) = client.executeRequest(.get("http://h/")) else {
            return unexpected("sent")
        }
        #expect(!failure.reason.contains("q"))
        #expect(journal.all.isEmpty)
    }

    @Test func `concurrent calls share a nonce and never a count`() async throws {
        let client = client { request, _ in
            request.headers.contains("Authorization") ? (.ok, [:]) : Self.challenge("n")
        }
        _ = try await Task.detached { try Self.call(client) }.value
        try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for _ in 0..<20 { group.addTask { try Self.call(client) } }
            for try await status in group { #expect(status == .ok) }
        }
        #expect(Set(journal.uses).count == 22)
    }

    @Test func `calls that begin meanwhile and arrive first leave a call its nonce for one use`() throws {
        let client = Locked<(any HTTPClient)?>(nil)
        let used = Locked<Set<String>>([])
        let stub = StubClient { [journal] request in
            journal.note(request)
            let field = request.headers["Authorization"]
            // Another call arrives before this one.
            if field != nil, request.url.target == "/a", let client = client.withLock({ $0 }) {
                guard (try? client.send(.get("http://h/b")).status) == .ok else {
                    return .failure(.unsupported(Unsupported("the other call", "it was refused")))
                }
            }
            if let nonce = AuthenticationChallenge.parse([field ?? ""]).first?["nonce"],
                used.withLock({ $0.insert(nonce).inserted })
            {
                return .success(Response(request: request, status: .ok))
            }
            let (status, headers) = Self.challenge("n\(journal.all.count)", field == nil ? "" : ", stale=true")
            return .success(Response(request: request, status: status, headers: headers))
        }
        let own = stub.intercepted(by: .digest(user: "u", password: "p", for: home))
        client.withLock { $0 = own }
        #expect(try own.send(.get("http://h/a")).status == .ok)
    }

    @Test func `a stream gets the strongest answer that does not cover the body`() throws {
        let client = client { request, _ in
            guard !request.headers.contains("Authorization") else { return (.ok, [:]) }
            var headers = Self.challenge("m").1
            headers.append("Digest realm=r, nonce=s, qop=auth-int, algorithm=SHA-256", for: "WWW-Authenticate")
            return (.unauthorized, headers)
        }
        let stream = RequestBody.stream { .data(Data("x".utf8)) }
        for body in [.text("x"), stream, .text("x")] {
            #expect(try client.send(.put("http://h/") |> .body(body)).status == .ok)
        }
        #expect(journal.uses == ["-", "s 00000001", "-", "m 00000001", "m 00000002"])
    }

    @Test func `the nonces of two realms continue their counts by turns`() throws {
        let client = client { request, _ in
            let realm = String(request.url.target.dropFirst())
            let answer = AuthenticationChallenge.parse([request.headers["Authorization"] ?? ""]).first
            let challenge = "Digest realm=\"\(realm)\", qop=\"auth\", nonce=\"n\(realm)\""
            return answer?.realm == realm ? (.ok, [:]) : (.unauthorized, ["WWW-Authenticate": challenge])
        }
        for target in ["a", "b", "a", "b"] { #expect(try client.send(.get("http://h/\(target)")).status == .ok) }
        let uses = [
            "na 00000001", "na 00000002", "nb 00000001", "nb 00000002", "na 00000003", "na 00000004", "nb 00000003",
        ]
        #expect(journal.uses == ["-"] + uses)
    }

    private static func call(_ client: any HTTPClient) throws -> HTTPStatus {
        try client.send(.get("http://h/")).status
    }
}
