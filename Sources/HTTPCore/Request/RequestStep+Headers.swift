extension RequestStep {
    /// Sets the header to exactly this value, replacing earlier ones.
    public static func header(_ name: String, _ value: String) -> RequestStep {
        RequestStep(.setHeader(name: name, value: value))
    }

    /// Adds a header field after earlier ones of the same name.
    public static func addingHeader(_ name: String, _ value: String) -> RequestStep {
        RequestStep { $0.headers.append(value, for: name) }
    }

    /// Sets each header to exactly its value, replacing earlier ones.
    public static func headers(_ headers: HTTPHeaders) -> RequestStep {
        RequestStep { draft in
            for field in headers { draft.headers.removeAll(named: field.name) }
            for field in headers { draft.headers.append(field.value, for: field.name) }
        }
    }

    /// Removes every header of that name, compared without case. For `Content-Type` this includes the one that the body
    /// of an earlier step would add, or that of the file that `upload` adds: a presigned PUT must be sent without one.
    public static func removingHeader(_ name: String) -> RequestStep {
        RequestStep { draft in
            draft.headers.removeAll(named: name)
            if ASCII.equalsIgnoringCase(name, "Content-Type") { draft.removeContentType() }
        }
    }

    /// The User-Agent (RFC 9110 §10.1.5). It replaces the transport's default, `PackageVersion.userAgent` or that of its
    /// configuration.
    public static func userAgent(_ product: String) -> RequestStep { .header("User-Agent", product) }

    /// Removes every header of earlier steps.
    public static let removingHeaders = RequestStep { $0.headers = HTTPHeaders() }

    /// The media type of the body. It replaces the one that the body sets.
    public static func contentType(_ mediaType: String) -> RequestStep { .header("Content-Type", mediaType) }
}
