import HTTPTesting

extension HTTPArchive {
    /// The request.
    public struct Request: Sendable, Hashable, Codable {
        /// The method as it was sent.
        public var method: String
        /// The absolute URL, without a fragment.
        public var url: String
        /// The version as the recorder writes it: `HTTP/1.1`, `http/2.0`, `h3`. This package records the request before
        /// the version is known.
        public var httpVersion: String
        /// The cookies that were sent. They are also in `headers`. Of a redirect that was followed, and of a call that failed,
        /// those of a jar are not known.
        public var cookies: [Cookie]
        /// The header fields in order.
        public var headers: [Parameter]
        /// The items of the query, decoded.
        public var queryString: [Parameter]
        /// The body; nil for none.
        public var postData: PostData?
        /// The size of the request line and fields in bytes; -1 if unknown.
        public var headersSize: Int64
        /// The size of the body in bytes, as sent; -1 if unknown.
        public var bodySize: Int64
        /// A comment; nil for none.
        public var comment: String?

        /// A request. Without `queryString` the URL's query is used.
        public init(
            method: String, url: String, httpVersion: String = "HTTP/1.1", cookies: [Cookie] = [],
            headers: [Parameter] = [], queryString: [Parameter]? = nil, postData: PostData? = nil,
            headersSize: Int64 = -1, bodySize: Int64 = 0, comment: String? = nil
        ) {
            self.method = method
            self.url = url
            self.httpVersion = httpVersion
            self.cookies = cookies
            self.headers = headers
            self.queryString = queryString ?? HTTPArchive.queryString(of: url)
            self.postData = postData
            self.headersSize = headersSize
            self.bodySize = bodySize
            self.comment = comment
        }
    }

    /// The body of a request.
    public struct PostData: Sendable, Hashable, Codable {
        /// The media type of the body.
        public var mimeType: String
        /// The fields of a form, if it is one.
        public var params: [PostParameter]?
        /// The body; empty if it was not kept, as `comment` then says.
        public var text: String
        /// A comment, for example that the body was not kept; nil for none.
        public var comment: String?
        /// `base64` if the body is not text. The format has no field for it.
        public var encoding: String?

        enum CodingKeys: String, CodingKey {
            case mimeType, params, text, comment
            case encoding = "_encoding"
        }

        /// A body as `text`; with `encoding` "base64" if it is not text.
        public init(
            mimeType: String, params: [PostParameter]? = nil, text: String, encoding: String? = nil,
            comment: String? = nil
        ) {
            self.mimeType = mimeType
            self.params = params
            self.text = text
            self.encoding = encoding
            self.comment = comment
        }
    }

    /// A field of a form.
    public struct PostParameter: Sendable, Hashable, Codable {
        /// The name of the field.
        public var name: String
        /// The value; nil for a file that was not kept.
        public var value: String?
        /// The file name; nil for a field without a file.
        public var fileName: String?
        /// The media type of a file; nil if unknown.
        public var contentType: String?

        /// A field of a form.
        public init(name: String, value: String? = nil, fileName: String? = nil, contentType: String? = nil) {
            self.name = name
            self.value = value
            self.fileName = fileName
            self.contentType = contentType
        }
    }
}

extension HTTPArchive.Request {
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let queryItems: [ArchivedQueryItem] = fields.list(.queryString)
        self.init(
            method: try fields.neededText(.method), url: try fields.neededText(.url),
            httpVersion: fields.text(.httpVersion), cookies: fields.list(.cookies),
            headers: try fields.neededList(.headers),
            queryString: fields.contains(.queryString) ? queryItems.map(\.parameter) : nil,
            postData: try fields.decodeIfPresent(HTTPArchive.PostData.self, forKey: .postData),
            headersSize: fields.size(.headersSize), bodySize: fields.size(.bodySize),
            comment: fields.optionalText(.comment))
    }
}

extension HTTPArchive.PostData {
    /// A form with fields but no text, or an empty one, gets the text of its fields. One with files has none.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let params: [HTTPArchive.PostParameter] = fields.list(.params)
        let text = try fields.decodeIfPresent(String.self, forKey: .text) ?? ""
        let encoding = fields.optionalText(.encoding)
        if encoding == "base64" { try fields.checkBase64(text, .text) }
        let mimeType = fields.text(.mimeType)
        let isFormOfFields = text.isEmpty && !BodyKind(mimeType).isMultipart
        self.init(
            mimeType: mimeType, params: params.isEmpty ? nil : params,
            text: isFormOfFields ? FormEncoding.encode(params.map { QueryItem($0.name, $0.value ?? "") }) : text,
            encoding: encoding,
            comment: fields.optionalText(.comment))
    }
}

extension HTTPArchive {
    fileprivate static func queryString(of url: String) -> [Parameter] {
        let shown = url.prefix { $0 != "#" }
        guard let mark = shown.firstIndex(of: "?") else { return [] }
        return FormText.items(shown[shown.index(after: mark)...], isForm: false).map {
            Parameter($0.name, $0.value ?? "")
        }
    }
}
