/// The same for a path that is spelled already: a `String` from elsewhere, every character of which counts.
///
/// These are generic and disfavored so that a literal is a `RequestPath`, whose interpolations are encoded.
extension RequestGenerator {
    @_disfavoredOverload
    public func request(_ method: HTTPMethod, _ path: some StringProtocol) -> MutableRequest {
        request(method, RequestPath(spelled: path))
    }

    @_disfavoredOverload
    public func get(_ path: some StringProtocol) -> MutableRequest { request(.get, path) }

    @_disfavoredOverload
    public func head(_ path: some StringProtocol) -> MutableRequest { request(.head, path) }

    @_disfavoredOverload
    public func post(_ path: some StringProtocol) -> MutableRequest { request(.post, path) }

    @_disfavoredOverload
    public func put(_ path: some StringProtocol) -> MutableRequest { request(.put, path) }

    @_disfavoredOverload
    public func patch(_ path: some StringProtocol) -> MutableRequest { request(.patch, path) }

    @_disfavoredOverload
    public func delete(_ path: some StringProtocol) -> MutableRequest { request(.delete, path) }

    @_disfavoredOverload
    public func options(_ path: some StringProtocol) -> MutableRequest { request(.options, path) }
}
