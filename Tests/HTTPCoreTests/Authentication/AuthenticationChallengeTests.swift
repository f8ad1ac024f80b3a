import HTTPCore
import Testing

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
        "Basic realm=\"open", "Basic realm=\"a\"b, X y=z", "Basic realm=\"a\\", "Basic realm=, x=\"y\" z", "\"Basic\"",
        "Basic realm=\"a\nb\"", "Basic@ realm=x", "Digest realm=\"a\" nonce=\"b\"",
    ])
    func `after its first error a field is ignored`(field: String) {
        #expect(schemes("Good realm=\"x\"", field).first == "Good")
        #expect(!schemes(field).contains("Digest"))
        #expect(AuthenticationChallenge.parse([field]).allSatisfy { $0.realm == nil })
    }

    @Test func `challenges before the error count`() {
        #expect(schemes("Basic realm=\"a\", Digest realm=\"b") == ["Basic"])
    }

    @Test func `a response shows its challenges`() throws {
        let response = Response(
            request: try Request(.get("http://h")), status: .unauthorized,
            headers: ["WWW-Authenticate": "Basic realm=\"a\"", "www-authenticate": "Digest realm=\"b\", nonce=\"c\""])
        #expect(response.authenticationChallenges.map(\.realm) == ["a", "b"])
    }
}
