import HTTPCore

// Parts of what is stored, and parts that are stored.
extension CacheTable {
    static let ranges: [CacheCase] = {
        let whole: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Last-Modified": "{-1000}"]
        let digits = "0123456789"
        func case_(_ source: String, _ name: String, _ steps: CacheStep...) -> CacheCase {
            CacheCase(source, name, [.asks(whole, body: digits)] + steps)
        }
        let cut: [(String, String, String)] = [
            ("bytes=0-0", "0", "bytes 0-0/10"), ("bytes=0-3", "0123", "bytes 0-3/10"),
            ("bytes=4-", "456789", "bytes 4-9/10"),
            ("bytes=4-4", "4", "bytes 4-4/10"), ("bytes=9-", "9", "bytes 9-9/10"),
            ("bytes=5-100", "56789", "bytes 5-9/10"),
            ("bytes=-3", "789", "bytes 7-9/10"), ("bytes=-1", "9", "bytes 9-9/10"),
            ("bytes=-100", digits, "bytes 0-9/10"),
            ("BYTES=0-3", "0123", "bytes 0-3/10"), ("bytes= 0-3", "0123", "bytes 0-3/10"),
            ("bytes=0-", digits, "bytes 0-9/10"),
        ]
        let asked = ["bytes=10-", "bytes=100-200", "bytes=-0"]
        let left = ["bytes=0-1,3-4", "bytes=a-b", "bytes=3-1", "lines=0-3", "bytes", "bytes=", "bytes=-", "0-3"]
        let conditions: [(String, Bool)] = [
            ("\"1\"", true), ("{-1000}", true), ("\"2\"", false), ("W/\"1\"", false), ("{-999}", false),
            ("{-1001}", false),
        ]
        return cut.map { range, body, content in
            case_(
                "RFC 9110 §14.2", "\(range) is cut out of what is stored",
                .hits(
                    status: .partialContent, body: body, after: 59, with: ["Range": range],
                    shows: ["Content-Range": content, "Content-Length": "\(body.count)"]))
        }
            + asked.map {
                case_(
                    "RFC 9110 §15.5.17", "\($0) is beyond what is stored, and the server answers",
                    .asks(status: 416, with: ["Range": $0], sending: ["Range": $0]), .hits(body: digits))
            }
            + left.map {
                case_(
                    "RFC 9110 §14.2", "\($0) is for the server",
                    .asks(with: ["Range": $0], sending: ["Range": $0], because: .bypass), .hits(body: digits))
            }
            + conditions.map { condition, holds in
                case_(
                    "RFC 9110 §13.1.5", "If-Range: \(condition) \(holds ? "holds" : "does not hold")",
                    holds
                        ? .hits(
                            status: .partialContent, body: "0123", after: 1,
                            with: ["Range": "bytes=0-3", "If-Range": condition])
                        : .hits(body: digits, after: 1, with: ["Range": "bytes=0-3", "If-Range": condition]))
            }
            + [
                case_(
                    "RFC 9111 §4.2", "a part of what is stale is asked for",
                    .asks(
                        ["Content-Range": "bytes 0-3/10"], status: 206, body: "0123", after: 60,
                        with: ["Range": "bytes=0-3"],
                        sending: ["Range": "bytes=0-3"])),
                case_(
                    "RFC 9110 §14.2", "Range of HEAD means nothing to the store",
                    .asks(.init(), .head, with: ["Range": "bytes=0-3"], sending: ["Range": "bytes=0-3"])),
                CacheCase(
                    "RFC 9110 §14.2", "a range of a stored 404", .asks(whole, status: 404, body: digits),
                    .hits(status: 404, body: digits, with: ["Range": "bytes=0-3"])),
                CacheCase(
                    "RFC 9111 §3.3", "a part is not the whole",
                    .asks(
                        whole + ["Content-Range": "bytes 0-3/10"], status: 206, body: "0123",
                        with: ["Range": "bytes=0-3"],
                        sending: ["Range": "bytes=0-3"]), .asks(whole, body: digits), .hits(1, body: digits)),
                CacheCase(
                    "RFC 9111 §3.3", "a part answers the same request",
                    .asks(
                        whole + ["Content-Range": "bytes 0-3/10"], status: 206, body: "0123",
                        with: ["Range": "bytes=0-3"],
                        sending: ["Range": "bytes=0-3"]),
                    .hits(
                        status: .partialContent, body: "0123", after: 59, with: ["Range": "bytes=0-3"],
                        shows: ["Content-Range": "bytes 0-3/10"])),
                CacheCase(
                    "RFC 9111 §3.4", "a part answers no other part",
                    .asks(
                        whole + ["Content-Range": "bytes 0-3/10"], status: 206, body: "0123",
                        with: ["Range": "bytes=0-3"],
                        sending: ["Range": "bytes=0-3"]),
                    .asks(
                        whole + ["Content-Range": "bytes 1-2/10"], status: 206, body: "12",
                        with: ["Range": "bytes=1-2"],
                        sending: ["Range": "bytes=1-2"])),
                CacheCase(
                    "RFC 9110 §14.2", "a server that ignores Range gives the whole, which is stored",
                    .asks(whole, body: digits, with: ["Range": "bytes=0-3"], sending: ["Range": "bytes=0-3"]),
                    .hits(body: digits, after: 59)),
            ]
    }()
}
