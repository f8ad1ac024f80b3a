import HTTPCore

// Cache-Control of responses.
extension CacheTable {
    static let responses = forbidding + validated + others + immutable

    private static let forbidding: [CacheCase] = {
        let directives = [
            "no-store", "NO-STORE", "no-store, max-age=60", "max-age=60, no-store", "no-store=1", "no-store=\"a\"",
            "private, no-store", "public, max-age=60, no-store", "unknown=\"a\", no-store, max-age=60",
            "immutable, max-age=60, no-store", "max-age=60,no-store", "max-age=60 , No-Store",
        ]
        return directives.map {
            .passes("RFC 9111 §5.2.2.5", "\($0) is not stored", ["Cache-Control": $0, "ETag": "\"1\""])
        } + [
            .passes(
                "RFC 9111 §5.2.2.5", "no-store in a second field",
                ["Cache-Control": "max-age=60", "cache-control": "no-store"]),
            .passes("RFC 9111 §5.2.2.5", "no-store beside Expires", ["Cache-Control": "no-store", "Expires": "{60}"]),
            .lives(
                60, "RFC 9111 §5.2.2.5", "no-store as an argument",
                ["Cache-Control": "unknown=\"no-store\", max-age=60"]),
            .lives(
                60, "RFC 9111 §5.2", "a name that only begins with no-store", ["Cache-Control": "no-stores, max-age=60"]
            ),
            CacheCase(
                "RFC 9111 §5.2.2.5", "no-store outdates nothing that it did not replace",
                .asks(["Cache-Control": "max-age=60"]),
                .asks(["Cache-Control": "no-store"], with: ["Cache-Control": "no-cache"], stored: false), .hits()),
            CacheCase(
                "RFC 9111 §4.3.3", "no-store in place of what was asked about outdates it",
                .asks(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .asks(["Cache-Control": "no-store"], after: 60, sending: ["If-None-Match": "\"1\""], stored: false),
                .asks(because: .uriMiss)),
        ]
    }()

    private static let validated: [CacheCase] = {
        let tag: HTTPHeaders = ["If-None-Match": "\"1\""]
        let always = [
            "no-cache", "NO-CACHE", "no-cache, max-age=60", "max-age=60, no-cache", "private, no-cache, max-age=60",
            "immutable, no-cache, max-age=60", "stale-while-revalidate=60, no-cache, max-age=60",
            "no-cache=\"Set-Cookie\", no-cache, max-age=60",
        ]
        let fields: [(String, [String: String?])] = [
            ("no-cache=\"X-One\"", ["X-One": nil, "X-Two": "2"]), ("no-cache=\"x-one\"", ["X-One": nil, "X-Two": "2"]),
            ("no-cache=\"X-One, X-Two\"", ["X-One": nil, "X-Two": nil]),
            ("no-cache=X-One", ["X-One": nil, "X-Two": "2"]),
            ("no-cache=\" X-One , \"", ["X-One": nil, "X-Two": "2"]),
            ("no-cache=\"X-Three\"", ["X-One": "1", "X-Two": "2"]),
            ("NO-CACHE=\"X-Two\"", ["X-One": "1", "X-Two": nil]), ("private=\"X-One\"", ["X-One": "1", "X-Two": "2"]),
        ]
        return always.map {
            CacheCase(
                "RFC 9111 §5.2.2.4", "\($0) is validated each time", .asks(["Cache-Control": $0, "ETag": "\"1\""]),
                .validates(sending: tag, because: .stale), .validates(sending: tag, because: .stale))
        }
            + fields.map { directive, shown in
                CacheCase(
                    "RFC 9111 §5.2.2.4", "\(directive) is about fields only",
                    .asks(
                        ["Cache-Control": "\(directive), max-age=60", "X-One": "1", "X-Two": "2"],
                        shows: ["X-One": "1", "X-Two": "2"]), .hits(shows: shown))
            }
            + [
                .passes("RFC 9111 §5.2.2.4", "no-cache without a validator", ["Cache-Control": "no-cache, max-age=60"]),
                CacheCase(
                    "RFC 9111 §5.2.2.4", "no-cache with a date",
                    .asks(["Cache-Control": "no-cache", "Last-Modified": "{-1000}"]),
                    .validates(sending: ["If-Modified-Since": "{-1000}"])),
                CacheCase(
                    "RFC 9111 §5.2.2.4", "no-cache as an argument",
                    .asks(["Cache-Control": "unknown=\"no-cache\", max-age=60", "ETag": "\"1\""]), .hits()),
                CacheCase(
                    "RFC 9111 §5.2.2.4", "a validation may lift it",
                    .asks(["Cache-Control": "no-cache", "ETag": "\"1\""]),
                    .validates(sending: tag, ["Cache-Control": "max-age=60"]), .hits(after: 59)),
                .lives(
                    60, "RFC 9111 §5.2.2.2", "must-revalidate while fresh",
                    ["Cache-Control": "max-age=60, must-revalidate"]),
                CacheCase(
                    "RFC 9111 §5.2.2.2", "must-revalidate without the server",
                    .asks(["Cache-Control": "max-age=60, must-revalidate", "ETag": "\"1\""]), .fails(after: 60)),
                CacheCase(
                    "RFC 9111 §5.2.2.2", "must-revalidate with the server's error",
                    .asks(["Cache-Control": "max-age=60, must-revalidate", "ETag": "\"1\""]),
                    .asks(status: .serviceUnavailable, after: 60, sending: tag)),
                .passes(
                    "RFC 9111 §5.2.2.2", "must-revalidate with neither lifetime nor validator",
                    ["Cache-Control": "max-age=0, must-revalidate"]),
            ]
    }()

    private static let others: [CacheCase] = {
        let indifferent = [
            "public", "private", "no-transform", "proxy-revalidate", "s-maxage=0", "PRIVATE", "private=\"X-One\"",
            "unknown", "unknown=5", "unknown=\"a, b\"", "stale-while-revalidate=0", "stale-if-error=0", "immutable",
        ]
        let understood: [HTTPStatus] = [200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501]
        let unknown: [HTTPStatus] = [299, 399, 499, 599]
        return indifferent.map {
            .lives(
                60, "RFC 9111 §5.2.2", "\($0) changes nothing for a private cache",
                ["Cache-Control": "max-age=60, \($0)"])
        }
            + understood.map {
                .lives(
                    60, "RFC 9111 §5.2.2.3", "must-understand overrides no-store of \($0)",
                    ["Cache-Control": "max-age=60, must-understand, no-store"], status: $0)
            }
            + unknown.map {
                .passes(
                    "RFC 9111 §5.2.2.3", "must-understand of \($0)", ["Cache-Control": "max-age=60, must-understand"],
                    status: $0)
            }
            + [
                .lives(
                    60, "RFC 9111 §5.2.2.3", "must-understand of a known status without no-store",
                    ["Cache-Control": "must-understand, max-age=60"]),
                .lives(
                    60, "RFC 9111 §5.2.2.3", "MUST-UNDERSTAND in capitals",
                    ["Cache-Control": "max-age=60, MUST-UNDERSTAND, no-store"]),
            ]
    }()

    private static let immutable: [CacheCase] = {
        let reload: HTTPHeaders = ["Cache-Control": "max-age=0"]
        let tag: HTTPHeaders = ["If-None-Match": "\"1\""]
        func case_(_ name: String, _ directives: String, _ steps: CacheStep...) -> CacheCase {
            CacheCase("RFC 8246 §2", name, [.asks(["Cache-Control": directives, "ETag": "\"1\""])] + steps)
        }
        return [
            case_("a reload while it is fresh", "max-age=60, immutable", .hits(after: 59, with: reload)),
            case_("a reload in the moment it arrived", "max-age=60, immutable", .hits(with: reload)),
            case_("in capitals", "max-age=60, IMMUTABLE", .hits(with: reload)),
            case_("as the first directive", "immutable, max-age=60", .hits(with: reload)),
            case_(
                "a reload once it is stale", "max-age=60, immutable",
                .validates(sending: tag, after: 60, with: reload, because: .request)),
            case_(
                "a request without directives once it is stale", "max-age=60, immutable",
                .validates(sending: tag, after: 60)),
            case_(
                "a reload past the cache", "max-age=60, immutable",
                .validates(sending: tag, with: ["Cache-Control": "no-cache"])),
            case_(
                "Pragma: no-cache", "max-age=60, immutable", .validates(sending: tag, with: ["Pragma": "no-cache"])),
            case_(
                "a limit of age other than zero", "max-age=60, immutable",
                .validates(sending: tag, after: 20, with: ["Cache-Control": "max-age=10"])),
            case_(
                "a demand for freshness", "max-age=60, immutable",
                .validates(sending: tag, after: 20, with: ["Cache-Control": "min-fresh=50"])),
            case_("it gives no lifetime", "immutable", .validates(sending: tag)),
            case_("with a lifetime of zero", "max-age=0, immutable", .validates(sending: tag, with: reload)),
            case_("with no-cache", "max-age=60, immutable, no-cache", .validates(sending: tag, with: reload)),
            case_("as an argument", "max-age=60, unknown=\"immutable\"", .validates(sending: tag, with: reload)),
            case_("without it a reload asks", "max-age=60", .validates(sending: tag, with: reload)),
            CacheCase(
                "RFC 8246 §2", "by Expires", .asks(["Cache-Control": "immutable", "Expires": "{60}", "ETag": "\"1\""]),
                .hits(after: 59, with: reload), .validates(sending: tag, after: 1, with: reload)),
            CacheCase(
                "RFC 8246 §2", "for another variant",
                .asks(["Cache-Control": "max-age=60, immutable", "Vary": "Accept"]),
                .asks(with: reload + ["Accept": "text/b"], because: .varyMiss)),
        ]
    }()
}
