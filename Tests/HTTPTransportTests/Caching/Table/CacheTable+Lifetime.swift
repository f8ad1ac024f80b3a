import HTTPCore

// How long a response is fresh.
extension CacheTable {
    static let lifetime = maxAge + expires + guessed

    private static let maxAge: [CacheCase] = {
        let valid: [(String, Int)] = [
            ("max-age=60", 60), ("max-age=1", 1), ("max-age=0", 0), ("Max-Age=60", 60), ("MAX-AGE=60", 60),
            ("max-age=060", 60), ("max-age=\"60\"", 60), ("max-age=60 ", 60), (" ,max-age=60", 60),
            ("private ,\tmax-age=60", 60), ("max-age=60, , private", 60), ("unknown, max-age=60, other=1", 60),
            ("unknown=\"max-age=10\", max-age=60", 60), ("unknown=\"a, max-age=10\", max-age=60", 60),
            ("unknown=\"a\\\", max-age=10\", max-age=60", 60), ("s-maxage=10, max-age=60", 60),
            ("s-maxage=60, max-age=10", 10), ("max-age=60, max-age=30", 30), ("max-age=30, max-age=60", 30),
            ("max-age=31536000", 31_536_000),
        ]
        let invalid = [
            "max-age=-1", "max-age=6 0", "max-age=60s", "max-age=", "max-age", "max-age=1.5", "max-age='60'",
            "max-age=+60", "max-age=0x3c", "max-age= 60", "max-age=\"\"", "max-age=\"60", "max-age=sixty",
            "max-age=60;private",
        ]
        let tooLong = ["2147483648", "4294967296", "18446744073709551616", "99999999999999999999999"]
        return valid.map { .lives($1, "RFC 9111 §5.2.2.1", "\($0) is a lifetime of \($1) s", ["Cache-Control": $0]) }
            + invalid.map {
                .lives(
                    0, "RFC 9111 §4.2.1", "\($0) is no lifetime, and the response counts as stale",
                    ["Cache-Control": $0, "ETag": "\"1\""])
            }
            + tooLong.map {
                CacheCase(
                    "RFC 9111 §1.2.2", "max-age=\($0) counts as the longest lifetime",
                    .asks(["Cache-Control": "max-age=\($0)"], stored: true), .hits(after: 1_000_000_000))
            }
            + [
                .lives(
                    60, "RFC 9111 §5.2", "directives may be in several fields",
                    ["Cache-Control": "private", "cache-control": "max-age=60"]),
                .lives(
                    30, "RFC 9111 §4.2.1", "of two lifetimes in two fields the shorter one counts",
                    ["Cache-Control": "max-age=60", "Cache-control": "max-age=30"]),
                .lives(
                    0, "RFC 9111 §5.2", "a directive whose name only ends in max-age is another",
                    ["Cache-Control": "x-max-age=60", "ETag": "\"1\""]),
                .lives(
                    0, "RFC 9111 §5.2", "a directive whose name only begins with max-age is another",
                    ["Cache-Control": "max-age-x=60", "ETag": "\"1\""]),
                .lives(
                    0, "RFC 9111 §5.2", "a name and its argument are not apart",
                    ["Cache-Control": "max-age =60", "ETag": "\"1\""]),
                .lives(
                    0, "RFC 9111 §5.2.2.10", "s-maxage is for shared caches",
                    ["Cache-Control": "s-maxage=60", "ETag": "\"1\""]),
                .lives(
                    60, "RFC 9111 §5.3", "max-age counts more than a later Expires",
                    ["Cache-Control": "max-age=60", "Expires": "{600}"]),
                .lives(
                    60, "RFC 9111 §5.3", "max-age counts more than an earlier Expires",
                    ["Cache-Control": "max-age=60", "Expires": "{10}"]),
                .lives(
                    60, "RFC 9111 §5.3", "max-age counts more than an invalid Expires",
                    ["Cache-Control": "max-age=60", "Expires": "0"]),
                .lives(
                    0, "RFC 9111 §5.3", "max-age=0 counts more than Expires",
                    ["Cache-Control": "max-age=0", "Expires": "{600}", "ETag": "\"1\""]),
                .lives(
                    0, "RFC 9111 §4.2.1", "an invalid max-age counts more than Expires",
                    ["Cache-Control": "max-age=a", "Expires": "{600}", "ETag": "\"1\""]),
                .lives(
                    60, "RFC 9111 §5.3", "s-maxage takes nothing from Expires",
                    ["Cache-Control": "s-maxage=1", "Expires": "{60}"]),
            ]
    }()

    private static let expires: [CacheCase] = {
        let valid: [(String, HTTPHeaders, Int)] = [
            ("Expires without Date", ["Expires": "{60}"], 60),
            ("Expires after Date", ["Date": "{0}", "Expires": "{60}"], 60),
            ("the lifetime begins with Date", ["Date": "{-10}", "Expires": "{50}"], 50),
            ("a clock of the server that is fast", ["Date": "{100}", "Expires": "{160}"], 60),
            (
                "Expires of a server whose clock is fast has nothing to do with ours",
                ["Date": "{500}", "Expires": "{510}"], 10
            ),
            ("Expires at Date", ["Date": "{0}", "Expires": "{0}", "ETag": "\"1\""], 0),
            ("Expires before Date", ["Date": "{0}", "Expires": "{-60}", "ETag": "\"1\""], 0),
            ("Expires that has passed on arrival", ["Date": "{-100}", "Expires": "{-40}", "ETag": "\"1\""], 0),
            ("Expires of long ago", ["Expires": "Thu, 01 Jan 1970 00:00:00 GMT", "ETag": "\"1\""], 0),
            ("a year of Expires", ["Expires": "{31536000}"], 31_536_000),
        ]
        let forms: [(String, HTTPHeaders)] = [
            ("Expires in the form of RFC 850", ["Expires": "{60 rfc850}"]),
            ("Expires in the form of asctime", ["Expires": "{60 asctime}"]),
            ("Date in the form of RFC 850", ["Date": "{0 rfc850}", "Expires": "{60}"]),
            ("Date in the form of asctime", ["Date": "{0 asctime}", "Expires": "{60}"]),
            ("both in obsolete forms", ["Date": "{0 asctime}", "Expires": "{60 rfc850}"]),
        ]
        let spelled: [(String, String)] = [
            ("in lower case", "sun, 06 nov 1994 08:50:37 gmt"), ("in upper case", "SUN, 06 NOV 1994 08:50:37 GMT"),
            ("in mixed case", "sUN, 06 nOV 1994 08:50:37 Gmt"),
        ]
        let invalid = [
            "0", "-1", "", "never", "60", "1994", "Sun, 06 Nov 2094 08:50:37", "Sun, 06 Nov 2094 08:50:37 UTC",
            "Sun, 06 Nov 2094 08:50:37 +0000", "Sun, 06 Nov 2094 08:50:37 EST", "Sun, 6 Nov 2094 08:50:37 GMT",
            "Sun, 06 Nov 94 08:50:37 GMT", "Sun, 06-Nov-2094 08:50:37 GMT", "Sun, 06 Nov 2094 8:50:37 GMT",
            "Sun, 06 Nov 2094 08:50 GMT", "Sun, 06 Nov 2094 24:00:00 GMT", "Sun, 31 Feb 2094 08:50:37 GMT",
            "Sun 06 Nov 2094 08:50:37 GMT", "06 Nov 2094 08:50:37 GMT", "2094-11-06T08:50:37Z",
            "Sun, 06  Nov 2094 08:50:37 GMT", "Sun, 06 Nov 2094 08.50.37 GMT",
        ]
        return valid.map { .lives($2, "RFC 9111 §4.2.1", $0, $1) }
            + forms.map { .lives(60, "RFC 9110 §5.6.7", $0, $1) }
            + spelled.map { name, date in
                CacheCase(
                    "RFC 9111 §4.2", "the date \(name)", .asks(["Date": "{0}", "Expires": "{60}"]), .hits(after: 59),
                    .asks(["Expires": "{120}"], after: 1)
                )
                .replacingExpires(with: date)
            }
            + invalid.map {
                .lives(
                    0, "RFC 9111 §5.3", "the invalid date \"\($0)\" has passed",
                    ["Date": "{0}", "Expires": $0, "ETag": "\"1\""])
            }
            + [
                .lives(
                    30, "RFC 9111 §4.2.1", "of several Expires the earliest one counts",
                    ["Expires": "{60}", "expires": "{30}"]),
                .lives(
                    0, "RFC 9111 §4.2.1", "one of several Expires is invalid",
                    ["Expires": "{60}", "expires": "0", "ETag": "\"1\""]),
                .lives(
                    60, "RFC 9111 §5.3", "an invalid Date counts as the arrival", ["Date": "today", "Expires": "{60}"]),
            ]
    }()

    /// Without a lifetime of the server's.
    private static let guessed: [CacheCase] = {
        let modified: HTTPHeaders = ["Date": "{0}", "Last-Modified": "{-1000}"]
        let cacheable: [HTTPStatus] = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
        let others: [HTTPStatus] = [
            201, 202, 302, 303, 307, 400, 403, 409, 411, 418, 422, 451, 500, 502, 503, 504, 505,
        ]
        return cacheable.map {
            .lives(100, "RFC 9110 §15.1", "\($0) is fresh for a tenth of its age", modified, status: $0)
        }
            + others.map { .passes("RFC 9110 §15.1", "\($0) without a lifetime", modified, status: $0) }
            + [201, 302, 307, 403, 500].map {
                .lives(
                    100, "RFC 9111 §4.2.2", "\($0) that is public is fresh for a tenth of its age",
                    ["Date": "{0}", "Last-Modified": "{-1000}", "Cache-Control": "public"], status: $0)
            }
            + [
                .lives(100, "RFC 9111 §4.2.2", "Last-Modified without Date", ["Last-Modified": "{-1000}"]),
                .lives(
                    86_400, "RFC 9111 §4.2.2", "a tenth of ten days", ["Date": "{0}", "Last-Modified": "{-864000}"]),
                .lives(
                    86_400, "RFC 9111 §4.2.2", "no guess is longer than a day",
                    ["Date": "{0}", "Last-Modified": "{-86400000}"]),
                .lives(0, "RFC 9111 §4.2.2", "modified just now", ["Date": "{0}", "Last-Modified": "{0}"]),
                .lives(0, "RFC 9111 §4.2.2", "modified in the future", ["Date": "{0}", "Last-Modified": "{1000}"]),
                .lives(
                    0, "RFC 9111 §4.2.2", "an invalid Last-Modified", ["Date": "{0}", "Last-Modified": "yesterday"]),
                .lives(0, "RFC 9111 §4.2.2", "an entity tag alone is no age", ["Date": "{0}", "ETag": "\"1\""]),
                .lives(
                    0, "RFC 9111 §4.2.2", "max-age=0 forbids a guess",
                    ["Cache-Control": "max-age=0", "Last-Modified": "{-1000}"]),
                .lives(
                    0, "RFC 9111 §4.2.2", "an Expires forbids a guess",
                    ["Expires": "{0}", "Last-Modified": "{-1000}"]),
                .lives(
                    100, "RFC 9111 §4.2.2", "the age by Date counts, too",
                    ["Date": "{-100}", "Last-Modified": "{-2100}"]),
                .passes("RFC 9111 §4.2.2", "nothing to guess from", ["Date": "{0}", "Content-Type": "text/plain"]),
                .passes("RFC 9111 §4.2.2", "public alone is no age", ["Cache-Control": "public"]),
            ]
    }()
}

extension CacheCase {
    /// The same with another text for the date of its first answer.
    fileprivate func replacingExpires(with date: String) -> CacheCase {
        var steps = steps
        steps[0] = steps[0].answering { $0.headers.set(date, for: "Expires") }
        return CacheCase(source, name, steps)
    }
}
