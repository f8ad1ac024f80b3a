/// The key of stored responses: the URL of a GET, as it is sent (RFC 9111 §2).
struct CacheKey: Sendable, Hashable {
    let origin: Origin
    let target: String

    /// A longer URL is not stored: it would take as much memory as a body, and no server needs one.
    static let longestURL = 16 << 10

    init(_ url: HTTPURL) {
        origin = url.origin
        target = url.target
    }

    var isStorable: Bool { target.utf8.count <= Self.longestURL }

    var url: String { "\(origin)\(target)" }

    /// By bytes: spellings that are equal in Unicode are different URLs.
    static func == (one: CacheKey, other: CacheKey) -> Bool {
        one.target.utf8.elementsEqual(other.target.utf8) && one.origin == other.origin
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(target)
        hasher.combine(origin.host)
    }
}
