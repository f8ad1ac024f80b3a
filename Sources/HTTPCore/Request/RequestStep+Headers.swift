extension RequestStep {
    /// Gives the header exactly this value, replacing earlier ones.
    public static func header(_ name: String, _ value: String) -> RequestStep {
        RequestStep(.setHeader(name: name, value: value))
    }

    /// Adds a header field after earlier ones of the same name.
    public static func addingHeader(_ name: String, _ value: String) -> RequestStep {
        RequestStep { $0.headers.append(value, for: name) }
    }

    /// Gives each header exactly its value, replacing earlier ones.
    public static func headers(_ headers: HTTPHeaders) -> RequestStep {
        RequestStep { draft in
            for field in headers { draft.headers.removeAll(named: field.name) }
            for field in headers { draft.headers.append(field.value, for: field.name) }
        }
    }

    /// Removes every header of that name, compared without case.
    public static func removingHeader(_ name: String) -> RequestStep {
        RequestStep { $0.headers.removeAll(named: name) }
    }

    /// What the request says the program is (RFC 9110 §10.1.5), in place of the transport's own: `Straightline.userAgent`,
    /// or what its configuration names instead.
    public static func userAgent(_ product: String) -> RequestStep { .header("User-Agent", product) }

    /// Removes every header that an earlier step gave.
    public static let removingHeaders = RequestStep { $0.headers = HTTPHeaders() }

    /// The media type of the body, in place of the one the body brings.
    public static func contentType(_ mediaType: String) -> RequestStep { .header("Content-Type", mediaType) }
}
