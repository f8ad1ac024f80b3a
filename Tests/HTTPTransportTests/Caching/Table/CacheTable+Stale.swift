import HTTPCore

// Stale responses that the server lets be used: while they are validated, and in place of an error.
extension CacheTable {
    static let stale = meanwhile + inPlaceOfError

    private static let tag: HTTPHeaders = ["If-None-Match": "\"1\""]

    private static func response(_ directives: String) -> HTTPHeaders {
        ["Cache-Control": directives, "ETag": "\"1\""]
    }

    private static let meanwhile: [CacheCase] = {
        func case_(_ name: String, _ directives: String, _ steps: CacheStep...) -> CacheCase {
            CacheCase("RFC 5861 §3", "stale-while-revalidate: \(name)", [.asks(response(directives))] + steps)
        }
        let window = "max-age=10, stale-while-revalidate=20"
        let unusable = [
            "max-age=10, stale-while-revalidate=0", "max-age=10, stale-while-revalidate=-1",
            "max-age=10, stale-while-revalidate", "max-age=10, stale-while-revalidate=a",
            "max-age=10, unknown=\"stale-while-revalidate=20\"", "\(window), must-revalidate", "\(window), no-cache",
            "max-age=10, stale-while-revalidate=20, stale-while-revalidate=1",
        ]
        let demands = [
            "max-age=100", "max-age=0", "no-cache", "min-fresh=0", "min-fresh=5",
        ]
        return unusable.map { case_("\($0) allows nothing", $0, .validates(sending: tag, after: 15)) }
            + demands.map {
                case_("a request with \($0)", window, .validates(sending: tag, after: 15, with: ["Cache-Control": $0]))
            }
            + [
                case_("used at its beginning", window, .hits(after: 10)),
                case_("used until its end", window, .hits(after: 29)),
                case_("over at its end", window, .validates(sending: tag, after: 30)),
                case_("long over", window, .validates(sending: tag, after: 3000)),
                case_("the next call validates", window, .hits(after: 15), .validates(sending: tag), .hits(after: 9)),
                case_(
                    "the next call brings what is new", window, .hits(after: 15),
                    .asks(response("max-age=10"), sending: tag), .hits(2, after: 9)),
                case_("in capitals", "max-age=10, STALE-WHILE-REVALIDATE=20", .hits(after: 29)),
                case_("quoted", "max-age=10, stale-while-revalidate=\"20\"", .hits(after: 29)),
                case_("before the lifetime", "stale-while-revalidate=20, max-age=10", .hits(after: 29)),
                case_(
                    "a window without end", "max-age=10, stale-while-revalidate=99999999999", .hits(after: 1_000_000)),
                case_("of nothing but it", "max-age=0, stale-while-revalidate=20", .hits(after: 19)),
                case_("a response that tells its age", window, .hits(after: 29, shows: ["Age": "29"])),
                case_("with only-if-cached", window, .refuses(after: 15, with: ["Cache-Control": "only-if-cached"])),
                case_(
                    "with max-stale the request decides", window,
                    .hits(after: 25, with: ["Cache-Control": "max-stale=15"]),
                    .hits(with: ["Cache-Control": "max-stale=15"])),
                CacheCase(
                    "RFC 5861 §3", "stale-while-revalidate: beside Expires",
                    .asks(["Cache-Control": "stale-while-revalidate=20", "Expires": "{10}", "ETag": "\"1\""]),
                    .hits(after: 29), .validates(sending: tag)),
                CacheCase(
                    "RFC 5861 §3", "stale-while-revalidate: in a second field",
                    .asks([
                        "Cache-Control": "max-age=10", "cache-control": "stale-while-revalidate=20", "ETag": "\"1\"",
                    ]),
                    .hits(after: 29)),
                CacheCase(
                    "RFC 5861 §3", "stale-while-revalidate: without a validator the next call asks anew",
                    .asks(["Cache-Control": window]), .hits(after: 15), .asks(["Cache-Control": "max-age=60"]),
                    .hits(2, after: 59)),
                CacheCase(
                    "RFC 5861 §3", "stale-while-revalidate: for another variant",
                    .asks(["Cache-Control": window, "Vary": "Accept"], with: ["Accept": "text/a"]),
                    .asks(after: 15, with: ["Accept": "text/b"], because: .varyMiss)),
                CacheCase(
                    "RFC 5861 §3", "stale-while-revalidate: the age on arrival counts",
                    .asks(["Cache-Control": window, "Age": "25", "ETag": "\"1\""]), .hits(after: 4),
                    .validates(sending: tag, after: 1)),
            ]
    }()

    private static let inPlaceOfError: [CacheCase] = {
        let window = "max-age=10, stale-if-error=20"
        func case_(_ name: String, _ directives: String, _ steps: CacheStep...) -> CacheCase {
            CacheCase("RFC 5861 §4", "stale-if-error: \(name)", [.asks(response(directives))] + steps)
        }
        func passes(_ status: HTTPStatus, after seconds: Int, with fields: HTTPHeaders = [:]) -> CacheStep {
            .asks(status: status, after: seconds, with: fields, sending: tag)
        }
        let errors: [HTTPStatus] = [500, 502, 503, 504]
        let answers: [HTTPStatus] = [400, 403, 404, 410, 429, 501, 505]
        let unusable = [
            "max-age=10", "max-age=10, stale-if-error=0", "max-age=10, stale-if-error", "max-age=10, stale-if-error=a",
            "max-age=10, stale-if-error=-1", "\(window), must-revalidate", "\(window), no-cache",
            "max-age=10, stale-if-error=20, stale-if-error=1", "max-age=10, unknown=\"stale-if-error=20\"",
        ]
        let demands = ["no-cache", "max-age=100", "max-age=0", "min-fresh=0"]
        return errors.map {
            case_("\($0) within it", window, .replacesError($0, after: 29, sending: tag, shows: ["Age": "29"]))
        }
            + errors.map { case_("\($0) at its end", window, passes($0, after: 30)) }
            + answers.map { case_("\($0) is an answer", window, passes($0, after: 15)) }
            + unusable.map { case_("\($0) allows nothing", $0, passes(503, after: 15)) }
            + unusable.map { case_("\($0) allows nothing without a server", $0, .fails(after: 15)) }
            + demands.map {
                case_("a request with \($0)", window, passes(503, after: 15, with: ["Cache-Control": $0]))
            }
            + [
                case_("a server that has gone", window, .replacesError(nil, after: 29)),
                case_("a server that has gone, at the end", window, .fails(after: 30)),
                case_("in capitals", "max-age=10, STALE-IF-ERROR=20", .replacesError(503, after: 29, sending: tag)),
                case_("quoted", "max-age=10, stale-if-error=\"20\"", .replacesError(503, after: 29, sending: tag)),
                case_(
                    "before the lifetime", "stale-if-error=20, max-age=10", .replacesError(503, after: 29, sending: tag)
                ),
                case_(
                    "a window without end", "max-age=10, stale-if-error=99999999999",
                    .replacesError(503, after: 1_000_000, sending: tag)),
                case_(
                    "of the request", "max-age=10",
                    .replacesError(503, after: 29, with: ["Cache-Control": "stale-if-error=20"], sending: tag)),
                case_(
                    "of the request, at its end", "max-age=10",
                    passes(503, after: 30, with: ["Cache-Control": "stale-if-error=20"])),
                case_(
                    "of the request is no leave where the server says must-revalidate", "max-age=10, must-revalidate",
                    passes(503, after: 15, with: ["Cache-Control": "stale-if-error=20"])),
                case_(
                    "of both, the longer one", "max-age=10, stale-if-error=5",
                    .replacesError(503, after: 29, with: ["Cache-Control": "stale-if-error=20"], sending: tag)),
                case_(
                    "of both, the server's is longer", window,
                    .replacesError(503, after: 29, with: ["Cache-Control": "stale-if-error=5"], sending: tag)),
                case_(
                    "the server is asked each time", window, .replacesError(503, after: 15, sending: tag),
                    .replacesError(500, sending: tag), .validates(sending: tag), .hits(after: 9)),
                case_(
                    "the server comes back with something new", window, .replacesError(503, after: 15, sending: tag),
                    .asks(response("max-age=10"), sending: tag), .hits(2, after: 9)),
                case_("a fresh response needs no leave", window, .hits(after: 9)),
                CacheCase(
                    "RFC 5861 §4", "stale-if-error: beside Expires",
                    .asks(["Cache-Control": "stale-if-error=20", "Expires": "{10}", "ETag": "\"1\""]),
                    .replacesError(503, after: 29, sending: tag)),
                CacheCase(
                    "RFC 5861 §4", "stale-if-error: without a validator", .asks(["Cache-Control": window]),
                    .replacesError(503, after: 15)),
                CacheCase(
                    "RFC 5861 §4", "stale-if-error: for another variant",
                    .asks(["Cache-Control": window, "Vary": "Accept"], with: ["Accept": "text/a"]),
                    .asks(status: 503, after: 15, with: ["Accept": "text/b"])),
                CacheCase(
                    "RFC 5861 §4", "stale-if-error: with nothing stored",
                    .asks(status: 503, with: ["Cache-Control": "stale-if-error=20"])),
                CacheCase(
                    "RFC 5861 §4", "stale-if-error: the age on arrival counts",
                    .asks(["Cache-Control": window, "Age": "25", "ETag": "\"1\""]), passes(503, after: 5)),
            ]
    }()
}
