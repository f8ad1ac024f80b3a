extension HTTPArchive {
    /// A header field, or an item of a query.
    public struct Parameter: Sendable, Hashable, Codable {
        /// The name as it was sent or received.
        public var name: String
        /// The value; a secret is `REDACTED`.
        public var value: String
        /// Anything; nil for nothing.
        public var comment: String?

        /// A field or item.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A cookie that was sent or set.
    public struct Cookie: Sendable, Hashable, Codable {
        /// The name.
        public var name: String
        /// The value; a secret is `REDACTED`.
        public var value: String
        /// The Path attribute; nil where there is none.
        public var path: String?
        /// The Domain attribute; nil where there is none.
        public var domain: String?
        /// ISO 8601.
        public var expires: String?
        /// Whether it has the HttpOnly attribute; nil where that is not known.
        public var httpOnly: Bool?
        /// Whether it has the Secure attribute; nil where that is not known.
        public var secure: Bool?

        /// A cookie without attributes.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension HTTPArchive.Parameter {
    public init(from decoder: any Decoder) throws {
        try self.init(queryItemFrom: decoder)
        guard name.isEmpty else { return }
        throw try decoder.container(keyedBy: CodingKeys.self).problem(.name, "it is empty")
    }

    /// One that may have no name, as in `?=value`.
    init(queryItemFrom decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        name = try fields.decode(String.self, forKey: .name)
        value = fields.text(.value)
        comment = fields.optionalText(.comment)
    }
}

extension HTTPArchive.Cookie {
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        name = fields.text(.name)
        value = fields.text(.value)
        path = fields.optionalText(.path)
        domain = fields.optionalText(.domain)
        expires = fields.optionalText(.expires)
        httpOnly = try? fields.decode(Bool.self, forKey: .httpOnly)
        secure = try? fields.decode(Bool.self, forKey: .secure)
    }
}

/// An item of a query, as an archive has it.
struct ArchivedQueryItem: Decodable {
    let parameter: HTTPArchive.Parameter

    init(from decoder: any Decoder) throws { parameter = try HTTPArchive.Parameter(queryItemFrom: decoder) }
}
