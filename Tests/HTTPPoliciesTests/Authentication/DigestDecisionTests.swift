import Foundation
import HTTPCore
import HTTPSupport
import HTTPTesting
import TestSupport
import Testing

@testable import HTTPPolicies

@Suite struct DigestChallengeTests {
    private func strongest(
        _ fields: String..., isAvailable: (HashAlgorithm) -> Bool = { _ in true }
    ) throws(DigestChallenge.Problem) -> DigestChallenge? {
        try DigestChallenge.strongest(of: AuthenticationChallenge.parse(fields), isAvailable: isAvailable)
    }

    private static let md5 = "Digest realm=\"r\", nonce=\"m\", qop=auth"
    private static let sha256 = "Digest realm=\"r\", nonce=\"s\", qop=auth, algorithm=SHA-256"
    private static let sha512 = "Digest realm=\"r\", nonce=\"t\", qop=auth, algorithm=SHA-512-256-sess"

    @Test func `the strongest algorithm is used, in any order`() throws {
        #expect(try strongest(Self.md5, Self.sha512, Self.sha256)?.nonce == "t")
        #expect(try strongest(Self.sha256 + ", " + Self.md5)?.nonce == "s")
        #expect(try strongest("Basic realm=\"b\", " + Self.md5)?.algorithm == .md5)
        #expect(try strongest(Self.md5, Self.sha512)?.isSession == true)
    }

    @Test func `of equal ones the server's first is used`() throws {
        let other = "Digest realm=\"other\", nonce=\"o\", qop=auth"
        #expect(try strongest(Self.md5, other)?.nonce == "m")
        #expect(try strongest(other + ", " + Self.md5)?.nonce == "o")
    }

    @Test func `an unknown algorithm or one that cannot be computed is skipped`() throws {
        #expect(try strongest(Self.sha512, Self.sha256, isAvailable: { $0 != .sha512_256 })?.nonce == "s")
        #expect(try strongest(Self.md5, "Digest realm=r, nonce=x, algorithm=SHA-3")?.nonce == "m")
        #expect(try strongest("Digest realm=r, nonce=x, qop=\"future\"", Self.md5)?.nonce == "m")
        #expect(try strongest("Digest realm=r", Self.md5)?.nonce == "m")
    }

    @Test func `if none can be answered, the reason is that of the first`() throws {
        let cases = [
            ("Digest realm=r, nonce=x, algorithm=SHA-3", "\"SHA-3\""), ("Digest realm=r", "no nonce"),
            ("Digest realm=r, nonce=x, qop=\"future\"", "\"future\""), (Self.sha512, "computes SHA-512-256"),
        ]
        for (field, words) in cases {
            do {
                _ = try strongest(field, isAvailable: { $0 == .md5 })
                unexpected("no error for \(field)")
            } catch { #expect(error.reason.contains(words)) }
        }
    }

    @Test func `a challenge that needs the body is skipped if that is not in memory`() throws {
        let covering = "Digest realm=r, nonce=i, qop=auth-int, algorithm=SHA-256"
        let fields = AuthenticationChallenge.parse([covering, Self.md5])
        #expect(try DigestChallenge.strongest(of: fields)?.nonce == "i")
        #expect(try DigestChallenge.strongest(of: fields, bodyIsInMemory: false)?.nonce == "m")
        let none = DigestChallenge.Problem.missingBody
        #expect(throws: none) { try DigestChallenge.strongest(of: Array(fields.prefix(1)), bodyIsInMemory: false) }
    }

    @Test func `other schemes are not challenges of this one`() throws {
        #expect(try strongest("Basic realm=\"r\"", "Negotiate") == nil)
    }

    @Test func `flags are read without case, with quotes or not`() throws {
        let challenge = try strongest("Digest realm=r, nonce=n, stale=TRUE, userhash=\"true\", charset=utf-8")
        #expect(challenge?.isStale == true && challenge?.hashesUser == true && challenge?.isUTF8 == true)
        let plain = try strongest("Digest realm=r, nonce=n, stale=\"false\", userhash=yes")
        #expect(plain?.isStale == false && plain?.hashesUser == false && plain?.isUTF8 == false)
    }

    @Test func `every algorithm is in the process`() {
        for algorithm in HashAlgorithm.allCases { #expect(LibraryHash.isAvailable(algorithm)) }
        #expect(LibraryHash.hexadecimal(.md5, of: Array("abc".utf8)) == "900150983cd24fb0d6963f7d28e17f72")
    }
}

/// The computed values, checked with the examples of the RFCs.
@Suite struct DigestResponseTests {
    private func challenge(_ text: String) throws -> DigestChallenge {
        try DigestChallenge(try #require(AuthenticationChallenge.parse(["Digest " + text]).first))
    }

    /// The parameters of the Authorization header.
    private func answer(
        _ user: String, _ password: String, to challenge: String, method: String = "GET",
        target: String = "/dir/index.html", body: [UInt8]? = [], count: UInt32 = 1, cnonce: String = "0a4f113b"
    ) throws -> AuthenticationChallenge {
        let value = try DigestCredentials(user: user, password: password).authorization(
            for: try self.challenge(challenge),
            DigestCredentials.Occasion(
                method: method, target: target, body: body, count: count, clientNonce: cnonce))
        return try #require(AuthenticationChallenge.parse([value]).first)
    }

    private static let rfc7616 =
        "realm=\"http-auth@example.org\", qop=\"auth, auth-int\","
        + " nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\","
        + " opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\", algorithm="

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `the examples of RFC 7616 §3.9.1`(algorithm: String, response: String) throws {
        let answer = try answer(
            "Mufasa", "Circle of Life", to: Self.rfc7616 + algorithm,
            cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(answer["response"] == response)
        #expect(answer["algorithm"] == algorithm)
        #expect(answer["username"] == "Mufasa")
        #expect(answer.realm == "http-auth@example.org")
        #expect(answer["uri"] == "/dir/index.html")
        #expect(answer["qop"] == "auth")
        #expect(answer["nc"] == "00000001")
        #expect(answer["cnonce"] == "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(answer["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
    }

    @Test func `a session algorithm names the client's nonce, with and without qop`() throws {
        for qop in ["", ", qop=auth"] {
            let answer = try answer("u", "p", to: "realm=r, nonce=n, algorithm=MD5-sess" + qop, cnonce: "mine")
            #expect(answer["cnonce"] == "mine")
        }
        #expect(try answer("u", "p", to: "realm=r, nonce=n", cnonce: "mine")["cnonce"] == nil)
    }

    @Test func `an ASCII name is sent unchanged, even if the server reads UTF-8`() throws {
        let answer = try answer("Mufasa", "p", to: "realm=r, nonce=n, qop=auth, charset=UTF-8")
        #expect(answer["username"] == "Mufasa" && answer["username*"] == nil)
    }

    /// The text of the RFC has the values of another hash; these are those of erratum 4897.
    @Test func `the example of RFC 7616 §3.9.2, with userhash, as corrected`() throws {
        let answer = try answer(
            "J\u{E4}s\u{F8}n Doe", "Secret, or not?",
            to: "realm=\"api@example.org\", qop=\"auth\", algorithm=SHA-512-256, charset=UTF-8, userhash=true,"
                + " nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\"",
            target: "/doe.json", cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v")
        #expect(answer["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(answer["response"] == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5")
        #expect(answer["userhash"] == "true")
    }

    private static let rfc2617 = "realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""

    @Test func `the example of RFC 2617 §3.5`() throws {
        let answer = try answer(
            "Mufasa", "Circle Of Life", to: Self.rfc2617 + ", qop=\"auth,auth-int\", opaque=\"5ccc069c403ebaf9f0171e\"")
        #expect(answer["response"] == "6629fae49393a05397450978507c4ef1")
        #expect(answer["algorithm"] == nil)
    }

    @Test func `without qop the response is that of RFC 2069`() throws {
        let answer = try answer("Mufasa", "Circle Of Life", to: Self.rfc2617)
        #expect(answer["response"] == "670fd8c2df070c60b045671b8b24ff02")
        #expect(answer["qop"] == nil && answer["nc"] == nil && answer["cnonce"] == nil)
    }

    @Test func `a session algorithm binds the credentials to both nonces`() throws {
        let answer = try answer("Mufasa", "Circle Of Life", to: Self.rfc2617 + ", qop=auth, algorithm=MD5-sess")
        #expect(answer["response"] == "8e3825c57e897f5a0dec6c2d4e5059d0")
        #expect(answer["algorithm"] == "MD5-sess")
    }

    @Test func `the body is covered only if the server requires it, and if it is in memory`() throws {
        let text = Self.rfc2617 + ", qop=\"auth-int\""
        let answer = try answer(
            "Mufasa", "Circle Of Life", to: text, method: "POST", body: Array("body".utf8), count: 10)
        #expect(answer["response"] == "7a475f0661fc60cdbc2f1e379f72cd1a")
        #expect(answer["qop"] == "auth-int")
        #expect(answer["nc"] == "0000000a")
        #expect(throws: DigestChallenge.Problem.self) { try self.answer("u", "p", to: text, body: nil) }
    }

    @Test func `quotes and backslashes are escaped when sent`() throws {
        let answer = try answer("a\"b\\c", "p", to: "realm=\"x\\\"y\", nonce=\"n\", opaque=\"o\\\\p\"")
        #expect(answer["username"] == "a\"b\\c")
        #expect(answer.realm == "x\"y")
        #expect(answer["opaque"] == "o\\p")
    }

    @Test func `a name beyond ASCII is marked as UTF-8 if the server reads UTF-8`() throws {
        let plain = try answer("Jäsøn", "p", to: "realm=r, nonce=n")
        #expect(plain["username"] == "Jäsøn")
        let marked = try answer("Jäsøn D", "p", to: "realm=r, nonce=n, charset=\"utf-8\"")
        #expect(marked["username*"] == "UTF-8''J%C3%A4s%C3%B8n%20D")
        #expect(marked["username"] == nil)
    }
}

/// Which nonce is used next, and how often a call answers.
@Suite struct DigestSessionTests {
    private let origin = Origin(scheme: .http, host: "h")
    private let authenticator = DigestAuthenticator(
        DigestCredentials(user: "u", password: "p"), origin: Origin(scheme: .http, host: "h"))

    private func challenge(_ nonce: String, realm: String = "r", _ more: String = "") throws -> DigestChallenge {
        let field = "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", qop=auth\(more)"
        return try DigestChallenge(AuthenticationChallenge.parse([field])[0])
    }

    @Test func `the same nonce in another realm is another nonce`() throws {
        #expect(authenticator.use(of: try challenge("n"))?.count == 1)
        #expect(authenticator.use(of: try challenge("n"))?.count == 2)
        let other = authenticator.use(of: try challenge("n", realm: "other"))
        #expect(other?.count == 1 && other?.challenge.realm == "other")
    }

    @Test func `calls that answer the same nonce continue its count, until it is refused`() throws {
        #expect(authenticator.use(of: try challenge("n"))?.count == 1)
        #expect(authenticator.use(of: try challenge("n"))?.count == 2)
        #expect(authenticator.use(of: try challenge("m"))?.count == 1)
        authenticator.forget("n")
        #expect(authenticator.useOfKnownNonce()?.count == 2)
        authenticator.forget("m")
        #expect(authenticator.useOfKnownNonce() == nil)
    }

    @Test func `the successor of an old nonce is not adopted`() throws {
        _ = authenticator.use(of: try challenge("old"))
        _ = authenticator.use(of: try challenge("new"))
        authenticator.accept("old", next: "next of the old")
        let use = authenticator.useOfKnownNonce()
        #expect(use?.challenge.nonce == "new" && use?.count == 2)
    }

    @Test func `a nonce that replaces a stale one is for its calls alone until the server accepts it`() throws {
        _ = authenticator.use(of: try challenge("n", ", stale=true"))
        #expect(authenticator.useOfKnownNonce() == nil)
        #expect(authenticator.use(of: try challenge("n", ", stale=true"))?.count == 2)
        authenticator.accept("n", next: nil)
        #expect(authenticator.useOfKnownNonce()?.count == 3)
    }

    @Test func `a request that can be sent only once takes that nonce all the same`() throws {
        _ = authenticator.use(of: try challenge("n", ", stale=true"))
        #expect(authenticator.useOfKnownNonce(isReplayable: false)?.count == 2)
        #expect(authenticator.useOfKnownNonce() == nil)
    }

    @Test func `a next nonce that equals the current one continues its count`() throws {
        _ = authenticator.use(of: try challenge("n"))
        authenticator.accept("n", next: "n")
        #expect(authenticator.useOfKnownNonce()?.count == 2)
    }

    @Test func `a next nonce starts its own count, and the old one becomes unknown`() throws {
        _ = authenticator.use(of: try challenge("n"))
        authenticator.accept("n", next: "m")
        let use = authenticator.useOfKnownNonce()
        #expect(use?.challenge.nonce == "m" && use?.count == 1)
        authenticator.forget("n")
        #expect(authenticator.useOfKnownNonce()?.count == 2)
    }

    @Test func `with -sess a next nonce ends the session, because the secret that follows is ambiguous`() throws {
        let use = authenticator.use(of: try challenge("n", ", algorithm=MD5-sess"))
        #expect(use?.challenge.isSession == true)
        authenticator.accept("n", next: "m")
        #expect(authenticator.useOfKnownNonce() == nil)
    }

    @Test func `a body for a single use is not sent again, and the 401 is the response`() throws {
        let sent = Locked(0)
        let stub = StubClient { request in
            sent.withLock { $0 += 1 }
            return .success(
                Response(
                    request: request, status: .unauthorized,
                    headers: ["WWW-Authenticate": "Digest realm=r, nonce=n, qop=auth"]))
        }
        let client = stub.intercepted(by: .digest(user: "u", password: "p", for: origin))
        let once = RequestBody.stream(replayable: false) { .data(Data("x".utf8)) }
        #expect(try client.send(.post("http://h/") |> .body(once)).status == .unauthorized)
        #expect(sent.withLock { $0 } == 1)
    }

    /// A server that always refuses, and that redirects the transport to a new URL each time.
    @Test(arguments: [0, 1, 3])
    func `a call answers at one URL more than its redirect limit, and no more`(limit: Int) throws {
        let sent = Locked(0)
        let stub = StubClient { request in
            let count = sent.withLock { count in
                count += 1
                return count
            }
            guard let place = try? Request(.get("http://h/\(count)") |> .redirects(RedirectPolicy(limit: limit))) else {
                return .failure(.unsupported(Unsupported("a place", "it is no URL")))
            }
            return .success(
                Response(
                    request: place, status: .unauthorized,
                    headers: ["WWW-Authenticate": "Digest realm=r, nonce=n\(count), qop=auth"]))
        }
        let client = stub.intercepted(by: .digest(user: "u", password: "p", for: origin))
        let response = try client.send(.get("http://h/0") |> .redirects(RedirectPolicy(limit: limit)))
        #expect(response.status == .unauthorized)
        #expect(sent.withLock { $0 } == 1 + limit + 1)
    }
}
