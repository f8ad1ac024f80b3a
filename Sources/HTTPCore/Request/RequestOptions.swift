#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Settings that are not sent, and that most requests leave at their defaults.
///
/// An object that never changes: all requests that say nothing else share one, and a step that does makes another. So a
/// request in the making stays small, and moves fast through its steps.
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
        /// Whether interceptors leave it without credentials.
        var isAnonymous = false
        /// The service's; nil where it has none of its own.
        var jsonEncoder: JSONEncoder?
        var renewal: RequestRenewal?
        /// The observer of the call.
        var observer: CallObserver?
        /// The header field that says how much time is left.
        var deadlineHeader: DeadlineHeader?
        var trailers: RequestTrailers?
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
