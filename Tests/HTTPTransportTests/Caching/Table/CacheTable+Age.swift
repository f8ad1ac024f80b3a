import HTTPCore

// The age of a response, on arrival and later.
extension CacheTable {
    static let age: [CacheCase] = {
        let ages: [(String, Int)] = [
            ("0", 60), ("10", 50), ("0010", 50), ("59", 1), ("60", 0), ("61", 0), ("86400", 0), ("99999999999", 0),
            ("99999999999999999999999", 0), ("10, 20", 50), ("10,70", 50),
        ]
        let invalid = ["", "abc", "-10", "+10", "1.5", "10s", "'10'", "\"10\"", "0x10", "1 0"]
        let dates: [(String, HTTPHeaders, Int)] = [
            ("Date alone", ["Date": "{-20}"], 40), ("Date in the future", ["Date": "{20}"], 60),
            ("an invalid Date", ["Date": "20"], 60), ("no Date", [:], 60),
            ("Date of long ago", ["Date": "{-86400}"], 0),
            ("Date that is older than Age", ["Date": "{-30}", "Age": "10"], 30),
            ("Age that is older than Date", ["Date": "{-10}", "Age": "30"], 30),
            ("Age and a Date in the future", ["Date": "{30}", "Age": "10"], 50),
            ("Date in the form of RFC 850", ["Date": "{-20 rfc850}"], 40),
            ("Date in the form of asctime", ["Date": "{-20 asctime}"], 40),
        ]
        let base: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
        return ages.map { .lives($1, "RFC 9111 §5.1", "Age: \($0)", base + ["Age": $0]) }
            + invalid.map { .lives(60, "RFC 9111 §5.1", "Age: \($0) does not count", base + ["Age": $0]) }
            + dates.map { .lives($2, "RFC 9111 §4.2.3", $0, base + $1) }
            + [
                .lives(
                    50, "RFC 9111 §5.1", "of two Age fields the first one counts",
                    base + ["Age": "10", "age": "50"]),
                .lives(
                    20, "RFC 9111 §4.2.3", "Age shortens what Expires allows",
                    ["Date": "{0}", "Expires": "{60}", "Age": "40"]),
                .lives(
                    60, "RFC 9111 §4.2.3", "Age shortens a guess",
                    ["Date": "{0}", "Last-Modified": "{-1000}", "Age": "40"]),
                CacheCase(
                    "RFC 9111 §5.1", "a stored response tells its age", .asks(base),
                    .hits(shows: ["Age": "0"]), .hits(after: 15, shows: ["Age": "15"]),
                    .hits(after: 44, shows: ["Age": "59"])),
                CacheCase(
                    "RFC 9111 §5.1", "the age on arrival is added", .asks(base + ["Age": "10"], shows: ["Age": "10"]),
                    .hits(after: 15, shows: ["Age": "25"])),
                CacheCase(
                    "RFC 9111 §5.1", "the age by Date is added", .asks(base + ["Date": "{-20}"]),
                    .hits(after: 15, shows: ["Age": "35"])),
                CacheCase(
                    "RFC 9111 §5.1", "there is one Age field", .asks(base + ["Age": "10", "age": "50"]),
                    .hits(after: 1, shows: ["Age": "11"])),
                CacheCase(
                    "RFC 9111 §5.1", "a response of the server itself gets no Age", .asks(base, shows: ["Age": nil])),
                CacheCase(
                    "RFC 9111 §4.2.3", "a validated response is new", .asks(base + ["Age": "50"]),
                    .validates(sending: ["If-None-Match": "\"1\""], after: 20, shows: ["Age": nil]),
                    .hits(after: 30, shows: ["Age": "30"])),
                CacheCase(
                    "RFC 9111 §4.2.3", "a validation brings an age of its own", .asks(base),
                    .validates(sending: ["If-None-Match": "\"1\""], ["Age": "40"], after: 70),
                    .hits(after: 19, shows: ["Age": "59"]),
                    .validates(sending: ["If-None-Match": "\"1\""], after: 1)),
            ]
    }()
}

func + (one: HTTPHeaders, other: HTTPHeaders) -> HTTPHeaders { HTTPHeaders(Array(one) + Array(other)) }
