import HTTPCore

// Questions to the server about what is stored, and a caller's own conditions.
extension CacheTable {
    static let validating = questions + conditional

    private static let questions: [CacheCase] = {
        let validators: [(String, HTTPHeaders)] = [
            ("a tag", ["ETag": "\"1\""]), ("a weak tag", ["ETag": "W/\"1\""]), ("an empty tag", ["ETag": "\"\""]),
            ("a tag with a comma", ["ETag": "\"a, b\""]), ("a tag with a backslash", ["ETag": "\"a\\b\""]),
            ("a tag without quotes", ["ETag": "abc"]), ("a date", ["Last-Modified": "{-1000}"]),
            ("a date of long ago", ["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"]),
            ("a date in an obsolete form", ["Last-Modified": "{-1000 rfc850}"]),
            ("both", ["ETag": "\"1\"", "Last-Modified": "{-1000}"]),
            ("a weak tag and a date", ["ETag": "W/\"1\"", "Last-Modified": "{-1000}"]),
        ]
        let minute: HTTPHeaders = ["Cache-Control": "max-age=60"]
        return validators.flatMap { name, validator -> [CacheCase] in
            let sent = CacheCase.conditions(of: validator)
            return [
                CacheCase(
                    "RFC 9111 §4.3.1", "\(name) is asked about", .asks(minute + validator),
                    .validates(sending: sent, after: 60, because: .stale), .hits(after: 59)),
                CacheCase(
                    "RFC 9111 §4.3.3", "\(name) no longer holds", .asks(minute + validator),
                    .asks(minute, after: 60, sending: sent, because: .stale, stored: true), .hits(1, after: 59)),
                CacheCase(
                    "RFC 9111 §4.3.3", "\(name) of what is gone", .asks(minute + validator),
                    .asks(minute, status: 404, after: 60, sending: sent), .hits(1, status: 404, after: 59)),
                CacheCase(
                    "RFC 9111 §4.3.3", "\(name) while the server has trouble", .asks(minute + validator),
                    .asks(status: 500, after: 60, sending: sent), .validates(sending: sent)),
            ]
        } + [
            CacheCase(
                "RFC 9111 §4.3.1", "nothing to ask about", .asks(minute), .asks(minute, after: 60, because: .stale),
                .hits(1)),
            CacheCase(
                "RFC 9111 §4.3.1", "an empty ETag field is no tag", .asks(minute + ["ETag": ""]),
                .asks(minute, after: 60, because: .stale)),
            CacheCase(
                "RFC 9111 §4.3.1", "HEAD of what is stale has no condition", .asks(minute + ["ETag": "\"1\""]),
                .asks(minute, after: 60, .head)),
            CacheCase(
                "RFC 9111 §4.3.4", "a 304 to nobody's question is an error of the server that is passed on",
                .asks(minute, status: 304), .asks(minute, because: .uriMiss)),
            CacheCase(
                "RFC 9111 §4.3.4", "a 304 for another tag than those asked about",
                .asks(minute + ["Vary": "X-One", "ETag": "\"a\""], with: ["X-One": "1"]),
                .asks(
                    minute + ["Vary": "X-One", "ETag": "\"b\""], with: ["X-One": "2"],
                    sending: ["If-None-Match": "\"a\""]),
                CacheStep(
                    fields: ["X-One": "3"],
                    answers: [
                        CacheAnswer(status: 304, headers: ["ETag": "\"c\""]), CacheAnswer(headers: minute, body: "c"),
                    ], conditions: ["If-None-Match": "\"a\", \"b\""], outcome: .response(.ok, body: "c"))),
            CacheCase(
                "RFC 9111 §4.3.4", "a 304 without a tag to a question about two",
                .asks(minute + ["Vary": "X-One", "ETag": "\"a\""], with: ["X-One": "1"]),
                .asks(
                    minute + ["Vary": "X-One", "ETag": "\"b\""], with: ["X-One": "2"],
                    sending: ["If-None-Match": "\"a\""]),
                CacheStep(
                    fields: ["X-One": "3"],
                    answers: [CacheAnswer(status: 304), CacheAnswer(headers: minute, body: "c")],
                    conditions: ["If-None-Match": "\"a\", \"b\""], outcome: .response(.ok, body: "c"))),
            CacheCase(
                "RFC 9111 §4.3.4", "a 304 selects one of two",
                .asks(minute + ["Vary": "X-One", "ETag": "\"a\""], with: ["X-One": "1"]),
                .asks(
                    minute + ["Vary": "X-One", "ETag": "\"b\""], with: ["X-One": "2"],
                    sending: ["If-None-Match": "\"a\""]),
                .validates(
                    1, sending: ["If-None-Match": "\"a\", \"b\""], ["ETag": "\"b\""], with: ["X-One": "3"],
                    because: .varyMiss),
                .hits(1, with: ["X-One": "3"])),
            CacheCase(
                "RFC 9111 §4.3.4", "a 304 confirms by a weak tag", .asks(minute + ["ETag": "W/\"1\""]),
                .validates(sending: ["If-None-Match": "W/\"1\""], ["ETag": "W/\"1\""], after: 60), .hits(after: 59)),
            CacheCase(
                "RFC 9110 §13.1.2", "a 304 confirms a weak tag by its strong form", .asks(minute + ["ETag": "W/\"1\""]),
                .validates(sending: ["If-None-Match": "W/\"1\""], ["ETag": "\"1\""], after: 60),
                .hits(after: 59, shows: ["ETag": "W/\"1\""])),
        ]
    }()

    /// A fresh response, and a request with a condition of the caller's own.
    private static let conditional: [CacheCase] = {
        let stored: HTTPHeaders = [
            "Cache-Control": "max-age=60", "ETag": "\"1\"", "Last-Modified": "{-1000}", "Content-Type": "text/plain",
        ]
        let matching: [HTTPHeaders] = [
            ["If-None-Match": "\"1\""], ["If-None-Match": "W/\"1\""], ["If-None-Match": "*"],
            ["If-None-Match": "\"0\", \"1\""], ["If-None-Match": "\"0\",W/\"1\",\"2\""],
            ["If-None-Match": "\"0\"", "if-none-match": "\"1\""], ["If-None-Match": "\"a,b\", \"1\""],
            ["If-Modified-Since": "{-1000}"], ["If-Modified-Since": "{-999}"], ["If-Modified-Since": "{0}"],
            ["If-Modified-Since": "{-1000 rfc850}"], ["If-Modified-Since": "{-1000 asctime}"],
            ["If-None-Match": "\"1\"", "If-Modified-Since": "{-2000}"],
        ]
        let other: [HTTPHeaders] = [
            ["If-None-Match": "\"2\""], ["If-None-Match": "1"], ["If-None-Match": "\"0\", \"2\""],
            ["If-None-Match": "\"0, 1\""],
            ["If-Modified-Since": "{-1001}"], ["If-Modified-Since": "yesterday"], ["If-Modified-Since": "0"],
            ["If-None-Match": "\"2\"", "If-Modified-Since": "{0}"],
        ]
        func name(_ fields: HTTPHeaders) -> String { fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }
        return matching.map {
            CacheCase(
                "RFC 9111 §4.3.2", "\(name($0)) holds", .asks(stored),
                .hits(status: .notModified, after: 1, with: $0, shows: ["ETag": "\"1\"", "Content-Type": nil]))
        }
            + other.map {
                CacheCase(
                    "RFC 9111 §4.3.2", "\(name($0)) does not hold", .asks(stored),
                    .hits(after: 1, with: $0, shows: ["ETag": "\"1\"", "Content-Type": "text/plain"]))
            }
            + [
                CacheCase(
                    "RFC 9111 §4.3.2", "without Last-Modified the Date counts",
                    .asks(["Cache-Control": "max-age=60", "Date": "{0}"]),
                    .hits(status: .notModified, with: ["If-Modified-Since": "{0}"])),
                CacheCase(
                    "RFC 9111 §4.3.2", "an earlier date than the Date",
                    .asks(["Cache-Control": "max-age=60", "Date": "{0}"]),
                    .hits(with: ["If-Modified-Since": "{-1}"])),
                CacheCase(
                    "RFC 9111 §4.3.2", "a tag of the caller's where none is stored",
                    .asks(["Cache-Control": "max-age=60"]),
                    .hits(with: ["If-None-Match": "\"1\""])),
                CacheCase(
                    "RFC 9111 §4.3.2", "HEAD with a condition", .asks(stored),
                    .hits(status: .notModified, .head, with: ["If-None-Match": "\"1\""])),
                CacheCase(
                    "RFC 9111 §4.3.2", "a stored 404 has no condition", .asks(stored, status: 404),
                    .hits(status: 404, with: ["If-None-Match": "\"1\""])),
                CacheCase(
                    "RFC 9111 §4.3.2", "a condition with nothing stored reaches the server",
                    .asks(stored, status: 304, with: ["If-None-Match": "\"1\""], sending: ["If-None-Match": "\"1\""]),
                    .asks(stored, because: .uriMiss)),
                CacheCase(
                    "RFC 9111 §4.3.2", "a condition on what is stale reaches the server as it is", .asks(stored),
                    .asks(
                        status: 304, after: 60, with: ["If-None-Match": "\"2\""], sending: ["If-None-Match": "\"2\""])),
                CacheCase(
                    "RFC 9111 §4.3.2", "a date on what is stale reaches the server as it is", .asks(stored),
                    .asks(
                        status: 304, after: 60, with: ["If-Modified-Since": "{-5}"],
                        sending: ["If-Modified-Since": "{-5}"])),
                CacheCase(
                    "RFC 9110 §13.1.1", "If-Match is for the server", .asks(stored),
                    .asks(with: ["If-Match": "\"1\""], sending: ["If-Match": "\"1\""], because: .bypass), .hits()),
                CacheCase(
                    "RFC 9110 §13.1.4", "If-Unmodified-Since is for the server", .asks(stored),
                    .asks(
                        with: ["If-Unmodified-Since": "{0}"], sending: ["If-Unmodified-Since": "{0}"], because: .bypass),
                    .hits()),
            ]
    }()
}
