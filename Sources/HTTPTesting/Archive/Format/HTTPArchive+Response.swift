extension HTTPArchive {
    /// What was answered. A status of 0 says that nothing was: the call failed, or a browser kept it from being sent.
    public struct Response: Sendable, Hashable, Codable {
        /// The status; 0 where there was no answer.
        public var status: Int
        /// The reason phrase; empty over HTTP/2.
        public var statusText: String
        /// The version as the recorder spells it: `HTTP/1.1`, `http/2.0`, `h3`.
        public var httpVersion: String
        /// The cookies that were set, which are among `headers`, too.
        public var cookies: [Cookie]
        /// The header fields in order.
        public var headers: [Parameter]
        /// The body.
        public var content: Content
        /// The Location field of a redirect; empty for none.
        public var redirectURL: String
        /// The size of the status line and fields in bytes; -1 where it is not known.
        public var headersSize: Int64
        /// The body as it came, before content decoding.
        public var bodySize: Int64
        /// Anything; nil for nothing.
        public var comment: String?
        /// Why there is no answer, in words; Chrome and Safari write it, too.
        public var error: String?
        /// The same as a value, so that the error can be had again.
        public var failure: Failure?
        /// Fields behind the body (RFC 9110 §6.5).
        public var trailers: [Parameter]?

        enum CodingKeys: String, CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize, comment
            case error = "_error"
            case failure = "_failure"
            case trailers = "_trailers"
        }

        /// A response; sizes of -1 are not known.
        public init(
            status: Int, statusText: String = "", httpVersion: String = "HTTP/1.1", cookies: [Cookie] = [],
            headers: [Parameter] = [], content: Content = Content(), redirectURL: String = "",
            headersSize: Int64 = -1, bodySize: Int64 = -1
        ) {
            self.status = status
            self.statusText = statusText
            self.httpVersion = httpVersion
            self.cookies = cookies
            self.headers = headers
            self.content = content
            self.redirectURL = redirectURL
            self.headersSize = headersSize
            self.bodySize = bodySize
        }
    }

    /// The body of a response, content codings undone.
    public struct Content: Sendable, Hashable, Codable {
        /// The length of the body in bytes, content codings undone.
        public var size: Int64
        /// How many bytes its coding saved.
        public var compression: Int64?
        /// The media type that the server declared; empty where it declared none.
        public var mimeType: String
        /// The body as text in UTF-8, or coded as `encoding` says; nil where it was not kept.
        public var text: String?
        /// `base64`, or nil.
        public var encoding: String?
        /// Anything, for example that the body was not kept; nil for nothing.
        public var comment: String?

        /// A body as `text`; with `encoding` "base64" where it is no text.
        public init(
            size: Int64 = 0, mimeType: String = "", text: String? = nil, encoding: String? = nil,
            comment: String? = nil
        ) {
            self.size = size
            self.mimeType = mimeType
            self.text = text
            self.encoding = encoding
            self.comment = comment
        }
    }

    /// A failed call: the case of `HTTPError` and what it takes to make one like it.
    public struct Failure: Sendable, Hashable, Codable {
        /// The name of the case.
        public var kind: String
        /// Its reason, where it has one.
        public var reason: String?
        /// The phase of the call.
        public var phase: String?
        /// The limit of time that ran out.
        public var seconds: Double?
        /// How many bytes were announced and came.
        public var expected: Int64?
        /// How many bytes came.
        public var received: Int64?
        /// Whether the server can have received the request.
        public var mayHaveBeenProcessed: Bool?
        /// The engine's own words.
        public var engine: String?

        /// A failure of a `kind`: the name of a case of `HTTPError`.
        public init(kind: String, reason: String? = nil, phase: String? = nil) {
            self.kind = kind
            self.reason = reason
            self.phase = phase
        }
    }
}

extension HTTPArchive.Response {
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let status = try fields.decode(Int.self, forKey: .status)
        guard status <= 0 || (100..<1000).contains(status) else {
            throw fields.problem(.status, "\(status) is no status code")
        }
        self.init(
            status: max(status, 0), statusText: fields.text(.statusText), httpVersion: fields.text(.httpVersion),
            cookies: fields.list(.cookies), headers: try fields.neededList(.headers),
            content: try fields.decodeIfPresent(HTTPArchive.Content.self, forKey: .content) ?? HTTPArchive.Content(),
            redirectURL: fields.text(.redirectURL), headersSize: fields.size(.headersSize),
            bodySize: fields.size(.bodySize))
        comment = fields.optionalText(.comment)
        error = fields.optionalText(.error)
        failure = try? fields.decode(HTTPArchive.Failure.self, forKey: .failure)
        let trailers: [HTTPArchive.Parameter] = fields.list(.trailers)
        self.trailers = trailers.isEmpty ? nil : trailers
    }
}

extension HTTPArchive.Content {
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let text = try fields.decodeIfPresent(String.self, forKey: .text)
        let encoding = fields.optionalText(.encoding).flatMap { $0.isEmpty ? nil : $0 }
        if let encoding {
            guard encoding == "base64" else {
                throw fields.problem(.encoding, "\(encoding.debugDescription) is not known; base64 is")
            }
            try fields.checkBase64(text ?? "", .text)
        }
        self.init(
            size: fields.size(.size), mimeType: fields.text(.mimeType), text: text, encoding: encoding,
            comment: fields.optionalText(.comment))
        compression = fields.number(.compression).map(KeyedDecodingContainer<CodingKeys>.size)
    }
}
