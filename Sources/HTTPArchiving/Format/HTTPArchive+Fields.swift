extension HTTPArchive {
    /// A header field, or an item of a query.
    public struct Parameter: Sendable, Hashable, Codable {
        /// The name as it was sent or received.
        public var name: String
        /// The value; a secret is `REDACTED`.
        public var value: String
        /// A comment; nil for none.
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
        /// The Path attribute; nil for none.
        public var path: String?
        /// The Domain attribute; nil for none.
        public var domain: String?
        /// The expiry date, in ISO 8601; nil for none.
        public var expires: String?
        /// Whether it has the HttpOnly attribute; nil if unknown.
        public var httpOnly: Bool?
        /// Whether it has the Secure attribute; nil if unknown.
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

    /// A field whose name may be empty, as in `?=value`.
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

struct ArchivedQueryItem: Decodable {
    let parameter: HTTPArchive.Parameter

    init(from decoder: any Decoder) throws { parameter = try HTTPArchive.Parameter(queryItemFrom: decoder) }
}
