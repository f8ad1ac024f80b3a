import HTTPPolicies
import Testing

import HTTPCore

@Suite struct AuthenticationChallengeTests {
    private func schemes(_ fields: String...) -> [String] { AuthenticationChallenge.parse(fields).map(\.scheme) }

    @Test func `one field may hold several challenges, each with its parameters`() throws {
        let found = AuthenticationChallenge.parse([
            "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\""
        ])
        try #require(found.map(\.scheme) == ["Newauth", "Basic"])
        #expect(found[0].parameters.map(\.name) == ["realm", "type", "title"])
        #expect(found[0].parameters.map(\.value) == ["apps", "1", "Login to \"apps\""])
        #expect(found[1].realm == "simple")
        #expect(found.allSatisfy { $0.token == nil })
    }

    @Test func `several fields are one list`() {
        #expect(
            schemes("Basic realm=\"a\"", "Digest realm=\"b\", nonce=c", "Negotiate") == [
                "Basic", "Digest", "Negotiate",
            ])
    }

    @Test func `a comma or an equals sign in quotes is text`() {
        let challenge = AuthenticationChallenge.parse(["Digest qop=\"auth,auth-int\", opaque=\"a=b, Basic realm=x\""])
        #expect(challenge.map(\.scheme) == ["Digest"])
        #expect(challenge.first?["QOP"] == "auth,auth-int")
        #expect(challenge.first?["opaque"] == "a=b, Basic realm=x")
    }

    @Test(arguments: [
        ("Negotiate YII=", "YII="), ("NTLM TlRMTVNTUAAC/+==", "TlRMTVNTUAAC/+=="), ("Bearer a.b-c_d~e", "a.b-c_d~e"),
        ("Negotiate  YII= , Basic realm=\"x\"", "YII="),
    ])
    func `a scheme may have a bare token`(field: String, token: String) {
        #expect(AuthenticationChallenge.parse([field]).first?.token == token)
        #expect(AuthenticationChallenge.parse([field]).first?.parameters == [])
    }

    @Test func `a scheme may stand alone, and list elements may be empty`() {
        #expect(
            schemes(", ,Negotiate,, Basic realm=\"x\",,, charset=\"UTF-8\" ,NTLM") == ["Negotiate", "Basic", "NTLM"])
        #expect(AuthenticationChallenge.parse([",Basic ,realm=x"]).first?.realm == "x")
        #expect(schemes("", " ", ",") == [])
    }

    @Test func `blanks may surround an equals sign, and names compare without case`() {
        let challenge = AuthenticationChallenge.parse(["bAsIc REALM =\t\"a b\""]).first
        #expect(challenge?.isScheme("Basic") == true)
        #expect(challenge?["realm"] == "a b")
    }

    @Test(arguments: [
        "Basic realm=\"a\"b, X y=z", "\"Basic\"", "Basic realm=\"a\nb\"", "Basic@ realm=x", "Digest realm=a\"b\"",
        "Digest nonce=\"n, realm=\"r\"", "Digest realm=a\u{1}b, nonce=n", "Digest realm=\"a\u{7F}\"", "Digest:realm=a",
    ])
    func `after its first error a field is ignored`(field: String) {
        #expect(schemes("Good realm=\"x\"", field).first == "Good")
        #expect(AuthenticationChallenge.unreadable(in: ["Good realm=\"x\"", field]) != nil)
        #expect(AuthenticationChallenge.parse([field]).allSatisfy { $0.realm == nil })
    }

    @Test func `challenges before the error count`() {
        #expect(schemes("Basic realm=\"a\", Digest realm=\"b\"c") == ["Basic"])
        #expect(
            AuthenticationChallenge.unreadable(in: ["Basic realm=\"a\", Digest realm=\"b\"c"]) == "Digest realm=\"b\"c")
    }

    /// The challenge in a usual spelling.
    private static func text(_ challenge: AuthenticationChallenge) -> String {
        challenge.scheme + challenge.parameters.map { " \($0.name)=[\($0.value)]" }.joined()
    }

    @Test(arguments: [
        ("Digest realm=\"r\" nonce=\"n\" qop=\"auth\"", "Digest realm=[r] nonce=[n] qop=[auth]"),
        ("Digest realm=\"r\"nonce=\"n\",qop=auth", "Digest realm=[r] nonce=[n] qop=[auth]"),
        ("Digest realm=r nonce=n qop=auth", "Digest realm=[r] nonce=[n] qop=[auth]"),
        ("Digest realm=\"r\"\tnonce=n, opaque=\"o\" stale=true", "Digest realm=[r] nonce=[n] opaque=[o] stale=[true]"),
        ("Basic realm=\"a\" Digest realm=\"r\", nonce=\"n\"", "Basic realm=[a]; Digest realm=[r] nonce=[n]"),
        ("Basic realm=a Digest realm=r nonce=n", "Basic realm=[a]; Digest realm=[r] nonce=[n]"),
        ("Digest realm=my realm, nonce=a/b+c==", "Digest realm=[my realm] nonce=[a/b+c==]"),
        ("Digest realm=ann@example.com, nonce=n:1", "Digest realm=[ann@example.com] nonce=[n:1]"),
        ("Digest realm=the big one nonce=n", "Digest realm=[the big one] nonce=[n]"),
        ("Digest realm=r, qop=auth,auth-int, nonce=n", "Digest realm=[r] qop=[auth,auth-int] nonce=[n]"),
        ("Digest realm=r, qop=auth, auth-int, Basic realm=b", "Digest realm=[r] qop=[auth,auth-int]; Basic realm=[b]"),
        ("Digest qop=auth, auth realm=r, nonce=n", "Digest qop=[auth]; auth realm=[r] nonce=[n]"),
        ("Digest realm=\"r\", opaque=, nonce=\"n\"", "Digest realm=[r] opaque=[] nonce=[n]"),
        ("Digest realm=\"r\", nonce=\"n\", opaque=", "Digest realm=[r] nonce=[n] opaque=[]"),
        ("Digest realm=\"r\", nonce=\"n", "Digest realm=[r] nonce=[n]"),
        ("Digest realm=\"r\", nonce=n, opaque=\"o\\", "Digest realm=[r] nonce=[n] opaque=[o]"),
        ("Basic realm=\"open", "Basic realm=[open]"),
        ("Basic realm=My Server", "Basic realm=[My Server]"),
    ])
    func `what can mean one thing only is read`(_ field: String, _ challenges: String) {
        let found = AuthenticationChallenge.parse([field])
        #expect(found.map(Self.text).joined(separator: "; ") == challenges)
        #expect(AuthenticationChallenge.unreadable(in: [field]) == nil)
    }

    @Test func `a response shows its challenges`() throws {
        let response = Response(
            request: try Request(.get("http://h")), status: .unauthorized,
            headers: ["WWW-Authenticate": "Basic realm=\"a\"", "www-authenticate": "Digest realm=\"b\", nonce=\"c\""])
        #expect(response.authenticationChallenges.map(\.realm) == ["a", "b"])
    }
}
