extension RequestStep {
    /// Gives the header exactly this value, replacing earlier ones.
    public static func header(_ name: String, _ value: String) -> RequestStep {
        RequestStep(.setHeader(name: name, value: value))
    }

    /// Adds a header field behind earlier ones of the same name.
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

    public static func removingHeader(_ name: String) -> RequestStep {
        RequestStep { $0.headers.removeAll(named: name) }
    }

    public static func accept(_ mediaType: String) -> RequestStep { .header("Accept", mediaType) }

    public static func userAgent(_ product: String) -> RequestStep { .header("User-Agent", product) }

    /// The media type of the body, in place of the one the body brings.
    public static func contentType(_ mediaType: String) -> RequestStep { .header("Content-Type", mediaType) }
}
