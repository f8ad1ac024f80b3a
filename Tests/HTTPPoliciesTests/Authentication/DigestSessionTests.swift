@testable import HTTPPolicies
import HTTPSupport
import Foundation
import HTTPTesting
import Testing

import HTTPCore

/// Which nonce is used next, and how often a call answers.
@Suite struct DigestSessionTests {
    private let authenticator = DigestAuthenticator(
        DigestCredentials(user: "u", password: "p"), origin: nil, makeClientNonce: { "c" })

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

    @Test func `the successor of an old nonce is not adopted`() throws {
        _ = authenticator.use(of: try challenge("old"))
        _ = authenticator.use(of: try challenge("new"))
        authenticator.replace("old", by: "next of the old")
        let use = authenticator.useOfKnownNonce()
        #expect(use?.challenge.nonce == "new" && use?.count == 2)
    }

    @Test func `a next nonce that equals the current one continues its count`() throws {
        _ = authenticator.use(of: try challenge("n"))
        authenticator.replace("n", by: "n")
        #expect(authenticator.useOfKnownNonce()?.count == 2)
    }

    @Test func `a next nonce starts its own count, and the old one becomes unknown`() throws {
        _ = authenticator.use(of: try challenge("n"))
        authenticator.replace("n", by: "m")
        let use = authenticator.useOfKnownNonce()
        #expect(use?.challenge.nonce == "m" && use?.count == 1)
        authenticator.forget("n")
        #expect(authenticator.useOfKnownNonce()?.count == 2)
    }

    @Test func `with -sess a next nonce ends the session, because the secret that follows is ambiguous`() throws {
        let use = authenticator.use(of: try challenge("n", ", algorithm=MD5-sess"))
        #expect(use?.challenge.isSession == true)
        authenticator.replace("n", by: "m")
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
        let client = stub.intercepted(by: .digest(user: "u", password: "p"))
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
        let client = stub.intercepted(by: .digest(user: "u", password: "p"))
        let response = try client.send(.get("http://h/0") |> .redirects(RedirectPolicy(limit: limit)))
        #expect(response.status == .unauthorized)
        #expect(sent.withLock { $0 } == 1 + limit + 1)
    }
}
