import HTTPCore

// What a 304, or a response to HEAD, changes in what is stored.
extension CacheTable {
    static let updating = confirmed + heads

    private static let tag: HTTPHeaders = ["If-None-Match": "\"1\""]

    private static let confirmed: [CacheCase] = {
        let replaced = [
            "Content-Type", "Content-Language", "Content-Location", "Content-Security-Policy", "Set-Cookie", "Link",
            "Access-Control-Allow-Origin", "Server", "Warning", "X-Frame-Options", "X-Unknown", "Unknown",
        ]
        let ofBody = ["Content-Encoding", "Content-Range"]
        let ofConnection = ["Keep-Alive", "Proxy-Authenticate", "Proxy-Connection", "TE", "Upgrade"]
        let base: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
        return replaced.flatMap { name -> [CacheCase] in
            [
                CacheCase(
                    "RFC 9111 §3.2", "a 304 replaces \(name)", .asks(base + [name: "old"]),
                    .validates(sending: tag, [name: "new"], after: 60, shows: [name: "new"]),
                    .hits(shows: [name: "new"])),
                CacheCase(
                    "RFC 9111 §3.2", "a 304 adds \(name)", .asks(base),
                    .validates(sending: tag, [name: "new"], after: 60),
                    .hits(shows: [name: "new"])),
                CacheCase(
                    "RFC 9111 §3.2", "a 304 without \(name) leaves it", .asks(base + [name: "old"]),
                    .validates(sending: tag, ["X-Other": "1"], after: 60, shows: [name: "old", "X-Other": "1"]),
                    .hits(shows: [name: "old"])),
            ]
        }
            + ofBody.map {
                CacheCase(
                    "RFC 9111 §3.2", "a 304 does not change \($0), which describes the stored bytes", .asks(base),
                    .validates(sending: tag, [$0: "new"], after: 60, shows: [$0: nil]), .hits(shows: [$0: nil]))
            }
            + ofConnection.map {
                CacheCase(
                    "RFC 9111 §3.1", "\($0) of a 304 is not stored", .asks(base),
                    .validates(sending: tag, [$0: "1"], after: 60, shows: [$0: nil]), .hits(shows: [$0: nil]))
            }
            + [
                CacheCase(
                    "RFC 9111 §3.2", "a 304 does not change Content-Length", .asks(base, body: "abc"),
                    .validates(
                        sending: tag, ["Content-Length": "99"], body: "abc", after: 60, shows: ["Content-Length": "3"])),
                CacheCase(
                    "RFC 9111 §3.1", "a field named by the Connection of a 304 is not stored", .asks(base),
                    .validates(sending: tag, ["Connection": "X-One", "X-One": "1"], after: 60, shows: ["X-One": nil])),
                CacheCase(
                    "RFC 9111 §3.2", "two lines replace one", .asks(base + ["X-One": "0"]),
                    .validates(sending: tag, ["X-One": "1", "x-one": "2"], after: 60, shows: ["X-One": "1, 2"])),
                CacheCase(
                    "RFC 9111 §3.2", "one line replaces two", .asks(base + ["X-One": "1", "x-one": "2"]),
                    .validates(sending: tag, ["X-One": "0"], after: 60, shows: ["X-One": "0"])),
                CacheCase(
                    "RFC 9111 §4.3.4", "a 304 shortens the lifetime", .asks(base),
                    .validates(sending: tag, ["Cache-Control": "max-age=10"], after: 60), .hits(after: 9),
                    .validates(sending: tag, after: 1)),
                CacheCase(
                    "RFC 9111 §4.3.4", "a 304 lengthens the lifetime", .asks(base),
                    .validates(sending: tag, ["Cache-Control": "max-age=600"], after: 60), .hits(after: 599)),
                CacheCase(
                    "RFC 9111 §4.3.4", "a 304 brings a date to be stale at",
                    .asks(["ETag": "\"1\"", "Expires": "{10}"]),
                    .validates(sending: tag, ["Expires": "{120}"], after: 60), .hits(after: 59),
                    .validates(sending: tag, after: 1)),
                CacheCase(
                    "RFC 9111 §4.3.4", "a 304 forbids to store", .asks(base),
                    .validates(sending: tag, ["Cache-Control": "no-store"], after: 60), .asks(because: .uriMiss)),
                CacheCase(
                    "RFC 9111 §4.3.4", "a 304 demands validation", .asks(base),
                    .validates(sending: tag, ["Cache-Control": "no-cache"], after: 60), .validates(sending: tag)),
                CacheCase(
                    "RFC 9111 §4.3.4", "a 304 leaves status and body", .asks(base, status: 404),
                    .validates(sending: tag, status: 404, after: 60), .hits(status: 404)),
                CacheCase(
                    "RFC 9111 §4.3.4", "a 304 to a demand of the request", .asks(base),
                    .validates(sending: tag, after: 30, with: ["Cache-Control": "no-cache"], because: .request),
                    .hits(after: 59)),
                CacheCase(
                    "RFC 9111 §4.3.4", "one 304 after another", .asks(base), .validates(sending: tag, after: 60),
                    .validates(sending: tag, after: 60), .hits(after: 59), .validates(sending: tag, after: 1)),
                CacheCase(
                    "RFC 9111 §4.1", "a 304 changes Vary", .asks(base + ["Vary": "X-One"], with: ["X-One": "1"]),
                    .validates(sending: tag, ["Vary": "X-Two"], after: 60, with: ["X-One": "1"]),
                    .hits(with: ["X-One": "2"])),
            ]
    }()

    private static let heads: [CacheCase] = {
        let base: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Last-Modified": "{-1000}"]
        let both: HTTPHeaders = ["If-None-Match": "\"1\"", "If-Modified-Since": "{-1000}"]
        let same: [(String, HTTPHeaders)] = [
            ("the same tag", ["ETag": "\"1\""]), ("the same date", ["Last-Modified": "{-1000}"]),
            ("the same length", ["Content-Length": "1"]), ("a weak form of the tag", ["ETag": "W/\"1\""]),
            ("both", ["ETag": "\"1\"", "Last-Modified": "{-1000}"]), ("no validator", [:]),
        ]
        let other: [(String, HTTPHeaders)] = [
            ("another tag", ["ETag": "\"2\""]), ("another date", ["Last-Modified": "{-999}"]),
            ("another length", ["Content-Length": "2"]),
            ("the same tag and another length", ["ETag": "\"1\"", "Content-Length": "2"]),
            ("another coding", ["Content-Encoding": "br"]),
        ]
        return same.map {
            CacheCase(
                "RFC 9111 §4.3.5", "HEAD with \($0) brings the response up to date", .asks(base),
                .asks(["Cache-Control": "max-age=60", "X-New": "1"] + $1, after: 60, .head),
                .hits(after: 59, shows: ["X-New": "1"]))
        }
            + other.map {
                CacheCase(
                    "RFC 9111 §4.3.5", "HEAD with \($0) outdates the response", .asks(base),
                    .asks(["Cache-Control": "max-age=60"] + $1, after: 60, .head), .asks(because: .uriMiss))
            }
            + [
                CacheCase(
                    "RFC 9111 §4.3.5", "HEAD that finds nothing changes nothing", .asks(base),
                    .asks(status: 404, after: 60, .head), .validates(sending: both)),
                CacheCase(
                    "RFC 9111 §4.3.5", "HEAD that fails changes nothing", .asks(base),
                    .asks(status: 503, after: 60, .head), .validates(sending: both)),
                CacheCase(
                    "RFC 9111 §4.3.5", "HEAD may forbid to store", .asks(base),
                    .asks(["Cache-Control": "no-store"], after: 60, .head), .asks(because: .uriMiss)),
            ]
    }()
}
