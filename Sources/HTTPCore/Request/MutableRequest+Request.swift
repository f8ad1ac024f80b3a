extension MutableRequest {
    /// A draft of a finished request, so that steps can change it. Building it validates it again.
    ///
    /// Its timeouts and limits count as set by the caller: defaults that depend on the place of the bodies no longer
    /// change when a step moves them.
    public init(_ request: Request) { self.init(request, options: request.optionsInForce) }

    /// With options as the caller set them, or in force.
    init(_ request: Request, options: RequestOptions) {
        self.init(request.method, request.url.string + (request.url.fragment.map { "#" + $0 } ?? ""))
        // It was read before, perhaps from a Location: it is read in the same way again.
        urlSpelling = .fromServer
        headers = request.headers
        body = request.body
        hasNoContentType = request.hasNoContentType
        self.options = options
        // A header that the body supplied is removed, since the body will supply it again.
        if let contentType = body.contentType, headers.values(for: "Content-Type") == [contentType] {
            headers.removeAll(named: "Content-Type")
        }
    }
}
