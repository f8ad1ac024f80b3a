/// How a request is adapted before each further attempt: a download asks for what is still missing. An object, for few
/// requests have one and all are copied.
final class RequestRenewal: Sendable {
    let step: @Sendable () throws(HTTPError) -> RequestStep

    /// `step` is asked before each attempt after the first, and applied to the request as the policies outside of the
    /// retry have left it.
    init(_ step: @escaping @Sendable () throws(HTTPError) -> RequestStep) { self.step = step }
}

extension Request {
    /// The request for one more attempt.
    func renewed() throws(HTTPError) -> Request {
        guard let renewal else { return self }
        return try Request(MutableRequest(self) |> renewal.step())
    }
}
