extension HTTPArchive {
    /// What was asked.
    public struct Request: Sendable, Hashable, Codable {
        public var method: String
        /// Absolute, without a fragment.
        public var url: String
        /// As the recorder spells it: `HTTP/1.1`, `http/2.0`, `h3`. What is sent here is not known beforehand.
        public var httpVersion: String
        public var cookies: [Cookie]
        public var headers: [Parameter]
        public var queryString: [Parameter]
        public var postData: PostData?
        public var headersSize: Int64
        public var bodySize: Int64
        public var comment: String?

        /// Without `queryString` it is that of the URL.
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
        public var mimeType: String
        /// The fields of a form, where it is one.
        public var params: [PostParameter]?
        /// The body; empty where it was not kept, which `comment` then says.
        public var text: String
        public var comment: String?
        /// `base64` where the body is no text. The format has no field for it.
        public var encoding: String?

        enum CodingKeys: String, CodingKey {
            case mimeType, params, text, comment
            case encoding = "_encoding"
        }

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
        public var name: String
        public var value: String?
        public var fileName: String?
        public var contentType: String?

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
    /// A form that comes as fields only gets the text that these make.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let params: [HTTPArchive.PostParameter] = fields.list(.params)
        let text = try fields.decodeIfPresent(String.self, forKey: .text)
        let encoding = fields.optionalText(.encoding)
        if encoding == "base64" { try fields.checkBase64(text ?? "", .text) }
        self.init(
            mimeType: fields.text(.mimeType), params: params.isEmpty ? nil : params,
            text: text ?? HTTPArchive.formText(params), encoding: encoding, comment: fields.optionalText(.comment))
    }
}
