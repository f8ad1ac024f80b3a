import HTTPCore

// Cache-Control of requests.
extension CacheTable {
    static let requests = demands + tolerance + bypasses

    private static let minute: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    private static let tag: HTTPHeaders = ["If-None-Match": "\"1\""]

    /// A minute's response, asked for again with these directives after so many seconds: from the store or not.
    private static func again(
        _ source: String, _ directives: String, after seconds: Int, uses isHit: Bool, of headers: HTTPHeaders = minute
    ) -> CacheCase {
        let fields: HTTPHeaders = ["Cache-Control": directives]
        let response = headers.map { "\($0.value)" }.joined(separator: ", ")
        return CacheCase(
            source, "\(directives) after \(seconds) s, \(response)", .asks(headers),
            isHit
                ? .hits(after: seconds, with: fields)
                : .validates(sending: CacheCase.conditions(of: headers), after: seconds, with: fields))
    }

    private static let demands: [CacheCase] = {
        let maxAge: [(String, Int, Bool)] = [
            ("max-age=10", 1, true), ("max-age=10", 9, true), ("max-age=10", 10, true), ("max-age=10", 11, false),
            ("max-age=0", 0, false), ("max-age=100", 59, true), ("max-age=100", 60, false), ("MAX-AGE=10", 11, false),
            ("max-age=\"10\"", 10, true), ("max-age=\"10\"", 11, false), ("max-age=ten", 0, false),
            ("max-age", 0, false), ("max-age=-1", 0, false), ("max-age=100, max-age=10", 11, false),
        ]
        let minFresh: [(String, Int, Bool)] = [
            ("min-fresh=10", 1, true), ("min-fresh=10", 50, true), ("min-fresh=10", 51, false),
            ("min-fresh=59", 1, true), ("min-fresh=61", 0, false), ("min-fresh=0", 59, true),
            ("min-fresh=10", 60, false), ("min-fresh=0", 60, false), ("Min-Fresh=10", 51, false),
            ("min-fresh=ten", 0, false), ("min-fresh", 0, false), ("min-fresh=5, min-fresh=30", 31, false),
        ]
        let noCache: [(String, Bool)] = [
            ("no-cache", false), ("NO-CACHE", false), ("no-cache, max-age=60", false), ("foo, no-cache", false),
            ("no-transform", true), ("unknown", true), ("unknown=\"no-cache\"", true), ("must-revalidate", true),
            ("public", true), ("private", true), ("immutable", true), ("s-maxage=0", true), ("", true),
        ]
        return maxAge.map { again("RFC 9111 §5.2.1.1", $0, after: $1, uses: $2) }
            + minFresh.map { again("RFC 9111 §5.2.1.3", $0, after: $1, uses: $2) }
            + noCache.map { again("RFC 9111 §5.2.1.4", $0, after: 1, uses: $1) }
            + [
                again("RFC 9111 §5.2.1.1", "max-age=20", after: 0, uses: false, of: minute + ["Age": "30"]),
                again("RFC 9111 §5.2.1.1", "max-age=31", after: 1, uses: true, of: minute + ["Age": "30"]),
                again("RFC 9111 §5.2.1.3", "min-fresh=40", after: 0, uses: false, of: minute + ["Age": "30"]),
                CacheCase(
                    "RFC 9111 §5.2.1.4", "what no-cache brings is stored", .asks(minute),
                    .asks(minute, with: ["Cache-Control": "no-cache"], sending: tag, because: .request, stored: true),
                    .hits(1, after: 59)),
                CacheCase(
                    "RFC 9111 §5.2.1.4", "no-cache without a validator asks anew",
                    .asks(["Cache-Control": "max-age=60"]),
                    .asks(minute, with: ["Cache-Control": "no-cache"], because: .request, stored: true), .hits(1)),
                CacheCase(
                    "RFC 9111 §5.2.1.4", "the directives of a request may be in several fields", .asks(minute),
                    .validates(sending: tag, with: ["Cache-Control": "unknown", "cache-control": "no-cache"])),
            ]
    }()

    private static let tolerance: [CacheCase] = {
        let maxStale: [(String, Int, Bool)] = [
            ("max-stale", 60, true), ("max-stale", 1_000_000, true), ("max-stale=10", 60, true),
            ("max-stale=10", 70, true), ("max-stale=10", 71, false), ("max-stale=0", 60, true),
            ("max-stale=0", 61, false), ("Max-Stale=10", 70, true), ("max-stale=\"10\"", 70, true),
            ("max-stale=\"10\"", 71, false), ("max-stale=ten", 61, false), ("max-stale=", 61, false),
            ("max-stale=-5", 61, false), ("max-stale, max-stale=10", 71, false), ("max-stale=99999999999", 600, true),
            ("max-stale, max-age=100", 70, true), ("max-stale, max-age=65", 66, false),
            ("max-stale, no-cache", 61, false), ("max-stale, min-fresh=1", 61, false), ("max-stale, unknown", 61, true),
        ]
        func response(_ directives: String) -> HTTPHeaders {
            ["Cache-Control": "max-age=60, \(directives)", "ETag": "\"1\""]
        }
        return maxStale.map { again("RFC 9111 §5.2.1.2", $0, after: $1, uses: $2) }
            + [
                again("RFC 9111 §5.2.2.2", "max-stale", after: 61, uses: false, of: response("must-revalidate")),
                again("RFC 9111 §5.2.2.2", "max-stale=10", after: 61, uses: false, of: response("MUST-REVALIDATE")),
                again("RFC 9111 §5.2.2.4", "max-stale", after: 1, uses: false, of: response("no-cache")),
                again("RFC 9111 §5.2.2.8", "max-stale", after: 61, uses: true, of: response("proxy-revalidate")),
                again("RFC 9111 §5.2.2.10", "max-stale", after: 61, uses: true, of: response("s-maxage=10")),
                again("RFC 9111 §5.2.1.2", "max-stale", after: 61, uses: true, of: response("private")),
                CacheCase(
                    "RFC 9111 §5.2.1.2", "a stale response tells its age", .asks(minute),
                    .hits(after: 100, with: ["Cache-Control": "max-stale"], shows: ["Age": "100"])),
                CacheCase(
                    "RFC 9111 §5.2.1.2", "what has no lifetime left on arrival is used, too",
                    .asks(["Cache-Control": "max-age=0", "ETag": "\"1\""]),
                    .hits(after: 5, with: ["Cache-Control": "max-stale=10"])),
            ]
    }()

    private static let bypasses: [CacheCase] = {
        let only: HTTPHeaders = ["Cache-Control": "only-if-cached"]
        let noStore: HTTPHeaders = ["Cache-Control": "no-store"]
        return [
            CacheCase("RFC 9111 §5.2.1.7", "only-if-cached with nothing stored", .refuses(with: only)),
            CacheCase(
                "RFC 9111 §5.2.1.7", "only-if-cached of a fresh response", .asks(minute), .hits(after: 59, with: only)),
            CacheCase(
                "RFC 9111 §5.2.1.7", "only-if-cached of a stale response", .asks(minute),
                .refuses(after: 60, with: only)),
            CacheCase(
                "RFC 9111 §5.2.1.7", "ONLY-IF-CACHED in capitals", .refuses(with: ["Cache-Control": "ONLY-IF-CACHED"])),
            CacheCase(
                "RFC 9111 §5.2.1.7", "only-if-cached of a stale response that is tolerated", .asks(minute),
                .hits(after: 60, with: ["Cache-Control": "only-if-cached, max-stale"])),
            CacheCase(
                "RFC 9111 §5.2.1.7", "only-if-cached of another URL", .asks(minute), .refuses(at: "/other", with: only)),
            CacheCase(
                "RFC 9111 §5.2.1.7", "only-if-cached of another variant",
                .asks(minute + ["Vary": "Accept"], with: ["Accept": "text/a"]),
                .refuses(with: only + ["Accept": "text/b"])),
            CacheCase(
                "RFC 9111 §5.2.1.7", "only-if-cached and no-cache", .asks(minute),
                .refuses(with: ["Cache-Control": "only-if-cached, no-cache"])),
            CacheCase(
                "RFC 9111 §5.2.1.7", "only-if-cached of a response that must be validated",
                .asks(["Cache-Control": "no-cache", "ETag": "\"1\""]), .refuses(with: only)),
            CacheCase(
                "RFC 9111 §5.2.1.7", "only-if-cached and too old", .asks(minute),
                .refuses(after: 11, with: ["Cache-Control": "only-if-cached, max-age=10"])),
            CacheCase(
                "RFC 9111 §5.2.1.5", "no-store keeps the response out of the store",
                .asks(minute, with: noStore, because: .request, stored: false), .asks(minute, because: .uriMiss)),
            CacheCase(
                "RFC 9111 §5.2.1.5", "NO-STORE in capitals", .asks(minute, with: ["Cache-Control": "NO-STORE"]),
                .asks(minute, because: .uriMiss)),
            CacheCase(
                "RFC 9111 §5.2.1.5", "no-store with an argument", .asks(minute, with: ["Cache-Control": "no-store=1"]),
                .asks(minute, because: .uriMiss)),
            CacheCase(
                "RFC 9111 §5.2.1.5", "no-store leaves what is stored alone", .asks(minute),
                .asks(minute, with: noStore),
                .hits()),
            CacheCase(
                "RFC 9111 §5.4", "Pragma: no-cache without Cache-Control", .asks(minute),
                .validates(sending: tag, with: ["Pragma": "no-cache"], because: .request)),
            CacheCase(
                "RFC 9111 §5.4", "Pragma: NO-CACHE", .asks(minute),
                .validates(sending: tag, with: ["Pragma": "NO-CACHE"])),
            CacheCase(
                "RFC 9111 §5.4", "Pragma in a list", .asks(minute),
                .validates(sending: tag, with: ["Pragma": "unknown, no-cache"])),
            CacheCase(
                "RFC 9111 §5.4", "Pragma beside Cache-Control does not count", .asks(minute),
                .hits(with: ["Pragma": "no-cache", "Cache-Control": "max-age=60"])),
            CacheCase(
                "RFC 9111 §5.4", "another Pragma means nothing", .asks(minute), .hits(with: ["Pragma": "unknown"])),
            .lives(60, "RFC 9111 §5.4", "Pragma of a response means nothing", minute + ["Pragma": "no-cache"]),
            .lives(
                60, "RFC 9111 §5.2.1", "directives of requests mean nothing in a response",
                ["Cache-Control": "max-age=60, only-if-cached, min-fresh=100, max-stale"]),
        ]
    }()
}
