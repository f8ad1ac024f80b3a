extension MutableRequest {
    /// A finished request as one in the making, so that steps can change it. Building it again checks it again.
    ///
    /// Its timeouts and limits are as if set by the caller: those that depend on where the bodies are do not change when
    /// a step puts them elsewhere.
    public init(_ request: Request) {
        self.init(request.method, request.url.string + (request.url.fragment.map { "#" + $0 } ?? ""))
        headers = request.headers
        body = request.body
        options = request.optionsInForce
        // What came from the body leaves with it.
        if let contentType = body.contentType, headers.values(for: "Content-Type") == [contentType] {
            headers.removeAll(named: "Content-Type")
        }
    }
}
