/// What becomes a request: a draft, `.get(url) |> .json(value)`, or a finished `Request`. Every verb takes either.
///
/// Build a `Request` once to send it many times, or to know before sending that it is valid. Both functions give the same
/// request: a verb that changes it, as a download does, begins with the draft.
public protocol RequestConvertible: Sendable {
    /// The finished request. If it cannot be built, this throws `.invalidRequest` or the error of a step.
    func asRequest() throws(HTTPError) -> Request
    /// A draft, for steps to change.
    func asDraft() -> MutableRequest
}

extension RequestConvertible {
    /// Builds the draft.
    @inlinable
    public func asRequest() throws(HTTPError) -> Request { try Request(asDraft()) }
}

extension MutableRequest: RequestConvertible {
    @inlinable
    public func asDraft() -> MutableRequest { self }
}

extension Request: RequestConvertible {
    @inlinable
    public func asRequest() throws(HTTPError) -> Request { self }
    /// A draft whose defaults still depend on where its bodies go, unlike those of `MutableRequest(request)`: a download
    /// has no total timeout. A request without one, because a body is streamed, stays without.
    public func asDraft() -> MutableRequest { MutableRequest(self, options: givenOptions) }
}

// Here rather than on MutableRequest, so that a parameter of either type accepts them.
extension RequestConvertible where Self == MutableRequest {
    /// A GET of `url`.
    @inlinable
    public static func get(_ url: some URLConvertible) -> MutableRequest { MutableRequest(.get, url.urlText) }

    /// A HEAD of `url`.
    @inlinable
    public static func head(_ url: some URLConvertible) -> MutableRequest { MutableRequest(.head, url.urlText) }

    /// A POST to `url`. Steps such as `.json` add the body.
    @inlinable
    public static func post(_ url: some URLConvertible) -> MutableRequest { MutableRequest(.post, url.urlText) }

    /// A PUT to `url`. Steps such as `.file` add the body.
    @inlinable
    public static func put(_ url: some URLConvertible) -> MutableRequest { MutableRequest(.put, url.urlText) }

    /// A PATCH of `url`. Steps such as `.json` add the body.
    @inlinable
    public static func patch(_ url: some URLConvertible) -> MutableRequest { MutableRequest(.patch, url.urlText) }

    /// A DELETE of `url`.
    @inlinable
    public static func delete(_ url: some URLConvertible) -> MutableRequest { MutableRequest(.delete, url.urlText) }

    /// A request of any method to `url`: `.request(.options, url)`, or `.request(.query, url) |> .json(question)`.
    @inlinable
    public static func request(_ method: HTTPMethod, _ url: some URLConvertible) -> MutableRequest {
        MutableRequest(method, url.urlText)
    }
}
