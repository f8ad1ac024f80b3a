import HTTPCore

/// A nonce in use, with its count and its client nonce. The client nonce does not change, so that a `-sess` algorithm
/// hashes the credentials the same way each time.
struct DigestSession: Sendable {
    private(set) var challenge: DigestChallenge
    private(set) var clientNonce: String
    private var uses: UInt32 = 0

    init(_ challenge: DigestChallenge, clientNonce: String) {
        self.challenge = challenge
        self.clientNonce = clientNonce
    }

    /// Counts one more use; nil if the counter is exhausted.
    mutating func use() -> UInt32? {
        guard uses < .max else { return nil }
        uses += 1
        return uses
    }

    /// Continues with the nonce announced in Authentication-Info (RFC 7616 §3.5). False for a `-sess` algorithm: it is
    /// not specified which nonce then binds the credentials.
    mutating func adopt(nextNonce: String) -> Bool {
        guard !challenge.isSession else { return false }
        challenge.nonce = nextNonce
        uses = 0
        return true
    }
}

/// The `nextnonce` of an Authentication-Info field: parameters as in a challenge, without a scheme.
enum AuthenticationInfo {
    static func nextNonce(_ headers: HTTPHeaders) -> String? {
        guard let value = headers.combinedValue(for: "Authentication-Info") else { return nil }
        return AuthenticationChallenge.parse(["Info " + value]).first?["nextnonce"]
    }
}
