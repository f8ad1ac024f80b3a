/// Settings that are not sent, and that most requests leave at their defaults.
///
/// An immutable object: all requests with the defaults share one, and a step that changes a setting makes a new one. A
/// draft therefore stays small and cheap to move through its steps.
package final class RequestOptions: Sendable {
    package struct Values: Sendable {
        var timeouts = Timeouts()
        package var limits = Limits()
        package var redirects = RedirectPolicy()
        var version = VersionPolicy.automatic
        package var destination = BodyDestination.memory
        package var continueWait: Duration?
        /// What is not of each engine's concern. Each value has its key where it is used.
        package var carried = MessageValues()
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

/// Gets status, fields and announced length of the final head of each exchange, before the body, and whether it has changed
/// the cookies of the request's storage.
package enum HeadObserverKey: NotingKey {
    package typealias Observer = @Sendable (HTTPStatus, HTTPHeaders, _ length: Int64?, _ hasNewCookies: Bool) -> Void
    package static let defaultValue: Observer? = nil
}

/// Adapts a request before each attempt after the first: a download asks for what is still missing. The step is applied
/// to the request as the policies outside the retry have left it.
package enum RenewalKey: MessageKey {
    package static let defaultValue: (@Sendable () -> Result<RequestStep, HTTPError>)? = nil
}
