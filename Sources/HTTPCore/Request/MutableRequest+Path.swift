/// A request from a base URL and a path, whose interpolated values are percent-encoded: see `RequestPath`.
///
///     MutableRequest.get(base, path: "users/\(name)")
///
/// The base counts as a directory: `https://host/v1` and `users` give `https://host/v1/users`.
extension MutableRequest {
    /// A draft of `method` for `path` below `baseURL`. An unsafe path becomes the draft's failure.
    public init(_ method: HTTPMethod, _ baseURL: some URLConvertible, path: RequestPath) {
        self.init(method, path.text, baseURL: baseURL.urlText)
        if let problem = path.problem { apply(.failing(problem)) }
    }

    /// A GET of `path` below `baseURL`. Each interpolated value is encoded as one segment.
    public static func get(_ baseURL: some URLConvertible, path: RequestPath) -> MutableRequest {
        MutableRequest(.get, baseURL, path: path)
    }

    /// A HEAD of `path` below `baseURL`. Each interpolated value is encoded as one segment.
    public static func head(_ baseURL: some URLConvertible, path: RequestPath) -> MutableRequest {
        MutableRequest(.head, baseURL, path: path)
    }

    /// A POST to `path` below `baseURL`. Each interpolated value is encoded as one segment.
    public static func post(_ baseURL: some URLConvertible, path: RequestPath) -> MutableRequest {
        MutableRequest(.post, baseURL, path: path)
    }

    /// A PUT to `path` below `baseURL`. Each interpolated value is encoded as one segment.
    public static func put(_ baseURL: some URLConvertible, path: RequestPath) -> MutableRequest {
        MutableRequest(.put, baseURL, path: path)
    }

    /// A PATCH of `path` below `baseURL`. Each interpolated value is encoded as one segment.
    public static func patch(_ baseURL: some URLConvertible, path: RequestPath) -> MutableRequest {
        MutableRequest(.patch, baseURL, path: path)
    }

    /// A DELETE of `path` below `baseURL`. Each interpolated value is encoded as one segment.
    public static func delete(_ baseURL: some URLConvertible, path: RequestPath) -> MutableRequest {
        MutableRequest(.delete, baseURL, path: path)
    }

    /// An OPTIONS of `path` below `baseURL`. Each interpolated value is encoded as one segment.
    public static func options(_ baseURL: some URLConvertible, path: RequestPath) -> MutableRequest {
        MutableRequest(.options, baseURL, path: path)
    }
}
