import HTTPPolicies
import HTTPSupport
import HTTPMockServer
import Testing

import HTTPCore
import HTTPCurl

extension MockServer {
    fileprivate var origin: Origin { Origin(scheme: .http, host: "127.0.0.1", port: port) }
}

/// Digest authentication against a server that checks the answers.
@Suite(.timeLimit(.minutes(5))) struct DigestExchangeTests {
    private static let nonce = "dcd98b7102dd2f0e8b11d0f600bfb0c093"
    private let client: CurlTransport

    init() throws { client = try CurlTransport.plain() }

    /// Whether the request has the credentials of user and password for this server's nonce, computed by the formula of
    /// RFC 7616 §3.4.1 for qop=auth.
    private static func isAuthorized(_ request: ReceivedRequest, algorithm: HashAlgorithm) -> Bool {
        guard let answer = request.headers["Authorization"].flatMap({ AuthenticationChallenge.parse([$0]).first }),
            answer["uri"] == request.target, answer["nonce"] == nonce,
            let secret = LibraryHash.hexadecimal(algorithm, of: Array("user:the realm:password".utf8)),
            let message = LibraryHash.hexadecimal(algorithm, of: Array("\(request.method):\(request.target)".utf8))
        else { return false }
        let text = [secret, nonce, answer["nc"] ?? "", answer["cnonce"] ?? "", "auth", message].joined(separator: ":")
        return answer["response"] == LibraryHash.hexadecimal(algorithm, of: Array(text.utf8))
    }

    private static func challenge(_ algorithm: HashAlgorithm) -> MockResponse {
        .text("who?", status: .unauthorized).header(
            "WWW-Authenticate",
            "Basic realm=\"b\", Digest realm=\"the realm\", qop=\"auth,auth-int\", nonce=\"\(nonce)\","
                + " algorithm=\(algorithm.name)")
    }

    private func server(_ algorithm: HashAlgorithm) throws -> MockServer {
        try MockServer { request in
            guard Self.isAuthorized(request, algorithm: algorithm) else { return Self.challenge(algorithm) }
            return request.path == "/dir" ? .redirect(to: "/dir/", status: .temporaryRedirect) : .text("in")
        }
    }

    @Test(arguments: HashAlgorithm.allCases)
    func `the challenge is answered and the nonce reused`(algorithm: HashAlgorithm) throws {
        let server = try server(algorithm)
        let client = client.intercepted(by: .digest(user: "user", password: "password", for: server.origin))
        #expect(try client.send(.post(server.url("/a?b=c%20d")) |> .text("body")).text() == "in")
        #expect(try client.send(.get(server.url("/next"))).text() == "in")
        #expect(server.requests.map(\.target) == ["/a?b=c%20d", "/a?b=c%20d", "/next"])
        #expect(server.requests.map(\.text) == ["body", "body", ""])
        #expect(server.requests.map { $0.headers.contains("Authorization") } == [false, true, true])
        #expect(server.requests.last?.headers["Authorization"]?.contains("nc=00000002") == true)
    }

    @Test func `each client has a nonce of its own, of 128 random bits`() throws {
        let server = try server(.md5)
        for _ in 1...2 {
            let client = client.intercepted(by: .digest(user: "user", password: "password", for: server.origin))
            #expect(try client.send(.get(server.url("/a"))).text() == "in")
        }
        let fields = server.requests.compactMap { $0.headers["Authorization"] }
        let nonces = AuthenticationChallenge.parse(fields).compactMap { $0["cnonce"] }
        #expect(fields.count == 2 && Set(nonces).count == 2)
        // Two numbers of 64 bits, rarely without some of their first digits.
        #expect(nonces.allSatisfy { $0.utf8.count > 20 }, "\(nonces)")
    }

    @Test(arguments: [
        "Digest realm=\"the realm\" qop=\"auth\" nonce=\"\(nonce)\" algorithm=MD5",
        "Digest realm=the realm, qop=auth, nonce=\(nonce), algorithm=MD5",
        "Digest realm=\"the realm\", qop=auth,auth-int, nonce=\(nonce), opaque=",
        "Digest realm=\"the realm\", qop=\"auth\", nonce=\"\(nonce)",
        "Basic realm=\"b\" Digest realm=\"the realm\",qop=\"auth auth-int\",nonce=\"\(nonce)\"",
    ])
    func `a challenge that is spelled badly is answered`(_ field: String) throws {
        let server = try MockServer { request in
            Self.isAuthorized(request, algorithm: .md5)
                ? .text("in") : .status(.unauthorized, headers: ["WWW-Authenticate": field])
        }
        let client = client.intercepted(by: .digest(user: "user", password: "password", for: server.origin))
        #expect(try client.send(.get(server.url("/a"))).text() == "in")
        #expect(server.requests.map { $0.headers.contains("Authorization") } == [false, true])
    }

    @Test(arguments: ["", " ", ","]) func `an empty qop counts as none`(_ options: String) throws {
        let field = "Digest realm=\"r\", nonce=\"n\", qop=\"\(options)\""
        let server = try MockServer { request in
            request.headers.contains("Authorization")
                ? .text("in") : .status(.unauthorized, headers: ["WWW-Authenticate": field])
        }
        let client = client.intercepted(by: .digest(user: "user", password: "password", for: server.origin))
        #expect(try client.send(.get(server.url("/a"))).text() == "in")
        let answer = AuthenticationChallenge.parse([server.requests.last?.headers["Authorization"] ?? ""]).first
        let secret = try #require(LibraryHash.hexadecimal(.md5, of: Array("user:r:password".utf8)))
        let message = try #require(LibraryHash.hexadecimal(.md5, of: Array("GET:/a".utf8)))
        #expect(answer?["response"] == LibraryHash.hexadecimal(.md5, of: Array("\(secret):n:\(message)".utf8)))
        #expect(answer?["qop"] == nil && answer?["nc"] == nil)
    }

    @Test(arguments: [
        ("Digest realm=\"r\", nonce=\"n, qop=\"auth\"", "the server's challenge cannot be read: "),
        ("Digest realm=\"r\"x, nonce=\"n\"", "the server's challenge cannot be read: "),
        ("Basic realm=\"b\", Digest:realm=r", "the server's challenge cannot be read: \"Digest:realm=r\""),
        ("Digest", "the server's challenge has no realm (RFC 7616 §3.3); it is empty"),
        ("Digest realm=\"r\", qop=\"auth\"", "the server's challenge has no nonce (RFC 7616 §3.3); it has: realm, qop"),
        ("Digest realm=\"r\", nonce=, qop=auth", "the server's challenge has no nonce"),
    ])
    func `the error names a challenge that cannot be read`(_ field: String, _ words: String) throws {
        let server = try MockServer { _ in .status(.unauthorized, headers: ["WWW-Authenticate": field]) }
        let client = client.intercepted(by: .digest(user: "user", password: "password", for: server.origin))
        guard case .failure(let error) = client.executeRequest(.get(server.url("/a"))) else {
            Issue.record("it came through")
            return
        }
        #expect("\(error)".contains(words) && "\(error)".contains("127.0.0.1:\(server.port)"), "\(error)")
        #expect(server.requests.map { $0.headers.contains("Authorization") } == [false])
    }

    @Test func `a wrong password gives the second 401, with its body`() throws {
        let server = try server(.md5)
        let client = client.intercepted(by: .digest(user: "user", password: "wrong", for: server.origin))
        let response = try client.send(.get(server.url("/")))
        #expect(response.status == .unauthorized)
        #expect(try response.text() == "who?")
        #expect(server.requestCount == 2)
    }

    @Test func `a redirect within the origin is answered for its own target`() throws {
        let server = try server(.sha256)
        let client = client.intercepted(by: .digest(user: "user", password: "password", for: server.origin))
        let response = try client.send(.put(server.url("/dir")) |> .text("body"))
        #expect(try response.text() == "in")
        #expect(server.requests.map(\.target) == ["/dir", "/dir", "/dir/", "/dir/"])
        #expect(server.requests.map(\.text) == ["body", "body", "body", "body"])
        #expect(server.requests.map { $0.headers.contains("Authorization") } == [false, true, false, true])
    }

    @Test func `no credentials are sent to another origin after a redirect, whatever it asks for`() throws {
        let other = try MockServer { _ in Self.challenge(.md5) }
        let server = try MockServer { request in
            Self.isAuthorized(request, algorithm: .md5) ? .redirect(to: other.url("/")) : Self.challenge(.md5)
        }
        let client = client.intercepted(by: .digest(user: "user", password: "password", for: server.origin))
        #expect(try client.send(.get(server.url("/"))).status == .unauthorized)
        #expect(server.requestCount == 2)
        #expect(other.requests.map { $0.headers.contains("Authorization") } == [false])
    }

    @Test func `cookies set with the challenge are sent with the answer`() throws {
        let server = try MockServer { request in
            Self.isAuthorized(request, algorithm: .md5)
                ? .text("in") : Self.challenge(.md5).header("Set-Cookie", "c=1")
        }
        let client = client.intercepted(by: .digest(user: "user", password: "password", for: server.origin))
        let jar = CookieJar()
        #expect(try client.send(.get(server.url("/")) |> .cookies(jar)).text() == "in")
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "c=1"])
    }

    @Test func `the whole call has one time limit`() throws {
        let server = try MockServer { request in
            let answer = request.headers.contains("Authorization") ? .text("late") : Self.challenge(.md5)
            return answer.taking(.milliseconds(1000))
        }
        let client = client.intercepted(by: .digest(user: "user", password: "password", for: server.origin))
        let error = client.executeRequest(.get(server.url("/")) |> .timeout(.milliseconds(1500))).error
        guard case .timedOut(let failure) = error else {
            Issue.record("expected a timeout, got \(String(describing: error))")
            return
        }
        #expect(failure.limit == .total)
        #expect(server.requestCount == 2)
    }
}
