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
        /// What is not of each engine's concern. Each value has its key where it is used.
        var carried = MessageValues()
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

/// Gets status, fields and announced length of the final head of each exchange, before the body.
enum HeadObserverKey: NotingKey {
    static let defaultValue: (@Sendable (HTTPStatus, HTTPHeaders, _ contentLength: Int64?) -> Void)? = nil
}
