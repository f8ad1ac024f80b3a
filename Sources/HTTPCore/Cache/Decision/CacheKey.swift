/// What responses are stored under: the URL of a GET, as it is sent (RFC 9111 §2).
struct CacheKey: Sendable, Hashable {
    let origin: Origin
    let target: String

    /// A longer URL is not stored: no server needs one, and a list of them would hold as much as their bodies.
    static let longestURL = 16 << 10

    init(_ url: HTTPURL) {
        origin = url.origin
        target = url.target
    }

    var isStorable: Bool { target.utf8.count <= Self.longestURL }

    var url: String { "\(origin)\(target)" }

    /// By bytes: spellings that are one text to Unicode are different URLs.
    static func == (one: CacheKey, other: CacheKey) -> Bool {
        one.target.utf8.elementsEqual(other.target.utf8) && one.origin == other.origin
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(target)
        hasher.combine(origin.host)
    }
}
