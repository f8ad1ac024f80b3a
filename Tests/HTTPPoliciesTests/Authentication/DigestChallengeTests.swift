import TestSupport
@testable import HTTPPolicies
import HTTPSupport
import Testing

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
