/// Adapts a request before each further attempt: a download asks for what is still missing. It is an object because few
/// requests have one, and all are copied.
package final class RequestRenewal: Sendable {
    let step: @Sendable () throws(HTTPError) -> RequestStep

    /// `step` is called before each attempt after the first. Its result is applied to the request as the policies
    /// outside the retry have left it.
    package init(_ step: @escaping @Sendable () throws(HTTPError) -> RequestStep) { self.step = step }
}

package enum RenewalKey: MessageKey {
    package static let defaultValue: RequestRenewal? = nil

    package static func areEqual(_ one: RequestRenewal?, _ other: RequestRenewal?) -> Bool { one === other }
}

extension Request {
    /// The request for the next attempt.
    package func renewed() throws(HTTPError) -> Request {
        guard let renewal = self[RenewalKey.self] else { return self }
        return try Request(MutableRequest(self) |> renewal.step())
    }
}
