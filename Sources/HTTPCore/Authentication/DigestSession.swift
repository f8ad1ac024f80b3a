/// A nonce in use: its count, and the client nonce, which stays the same so that a `-sess` algorithm hashes the
/// credentials the same way each time.
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

    /// Goes on with the nonce that the server names in Authentication-Info (RFC 7616 §3.5). False for a `-sess`
    /// algorithm, of which it is not clear which nonce the credentials are hashed with from then on.
    mutating func adopt(nextNonce: String) -> Bool {
        guard !challenge.isSession else { return false }
        challenge.nonce = nextNonce
        uses = 0
        return true
    }
}

/// The `nextnonce` of an Authentication-Info field: parameters as in a challenge, without a scheme in front.
enum AuthenticationInfo {
    static func nextNonce(_ headers: HTTPHeaders) -> String? {
        guard let value = headers.combinedValue(for: "Authentication-Info") else { return nil }
        return AuthenticationChallenge.parse(["Info " + value]).first?["nextnonce"]
    }
}
