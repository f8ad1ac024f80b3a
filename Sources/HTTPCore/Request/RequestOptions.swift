#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Settings that are not sent, and that most requests leave at their defaults.
///
/// An immutable object: all requests with the defaults share one, and a step that changes a setting makes a new one. A
/// draft therefore stays small and cheap to move through its steps.
final class RequestOptions: Sendable {
    struct Values: Sendable {
        var timeouts = Timeouts()
        var limits = Limits()
        var redirects = RedirectPolicy()
        var version = VersionPolicy.automatic
        var destination = BodyDestination.memory
        var continueWait: Duration?
        var cookies: CookieJar?
        var progress: ProgressReports?
        /// Whether interceptors add no credentials.
        var isAnonymous = false
        /// The encoder of the service; nil if it has none.
        var jsonEncoder: JSONEncoder?
        var renewal: RequestRenewal?
        /// The observer of the call.
        var observer: CallObserver?
        /// The header field for the time left.
        var deadlineHeader: DeadlineHeader?
        var trailers: RequestTrailers?
        /// Whether each request that is built gets an Idempotency-Key of its own.
        var makesIdempotencyKey = false
        /// The Cookie field that was sent with the jar's cookies, in the request of a response.
        var sentCookies: String?
        /// The redirect to another origin that led here; nil for none.
        var hop: ForeignHop?
        /// Gets the final head of each exchange, before the body.
        var headObserver: (@Sendable (ResponseHead) -> Void)?
        /// The TLS settings of the service; nil if it states none.
        var requiredTLS: RequiredTLS?
        /// What steps have collected. Empty in a request that is built.
        var parameters: [ParameterChange] = []
        /// Where they go; nil for `.byMethod`.
        var parameterEncoding: ParameterEncoding?
    }

    let values: Values

    private init(_ values: Values) { self.values = values }

    static let standard = RequestOptions(Values())

    func with(_ change: (inout Values) -> Void) -> RequestOptions {
        var values = values
        change(&values)
        return RequestOptions(values)
    }
}
