import HTTPCore

/// A nonce in use, with its count and its client nonce; a copy of it is one use. The client nonce does not change, so that
/// a `-sess` algorithm hashes the credentials the same way each time.
struct DigestSession: Sendable {
    var challenge: DigestChallenge
    let clientNonce: String
    /// The number of uses so far, including this one.
    var count: UInt32 = 0
}
