/// The algorithms of Digest authentication (RFC 7616 §6.1), the weakest first.
enum DigestAlgorithm: Sendable, Hashable, CaseIterable, Comparable {
    case md5, sha256, sha512_256

    var name: String {
        switch self {
        case .md5: "MD5"
        case .sha256: "SHA-256"
        case .sha512_256: "SHA-512-256"
        }
    }
}
