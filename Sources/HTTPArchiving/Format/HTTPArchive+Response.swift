extension HTTPArchive {
    /// The response. A status of 0 means that there was none: the call failed, or a browser blocked it.
    public struct Response: Sendable, Hashable, Codable {
        /// The status; 0 without a response.
        public var status: Int
        /// The reason phrase; empty over HTTP/2.
        public var statusText: String
        /// The version as the recorder spells it: `HTTP/1.1`, `http/2.0`, `h3`.
        public var httpVersion: String
        /// The cookies that were set. They are also in `headers`.
        public var cookies: [Cookie]
        /// The header fields in order.
        public var headers: [Parameter]
        /// The body.
        public var content: Content
        /// The Location field of a redirect; empty for none.
        public var redirectURL: String
        /// The size of the status line and fields in bytes; -1 if unknown.
        public var headersSize: Int64
        /// The size of the body as received, before content decoding.
        public var bodySize: Int64
        /// A comment; nil for none.
        public var comment: String?
        /// Why there is no response, as text. Chrome and Safari write it, too.
        public var error: String?
        /// The same in a form from which the error can be restored.
        public var failure: Failure?
        /// Trailer fields (RFC 9110 §6.5).
        public var trailers: [Parameter]?

        enum CodingKeys: String, CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize, comment
            case error = "_error"
            case failure = "_failure"
            case trailers = "_trailers"
        }

        /// A response; sizes of -1 are unknown.
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

    /// The body of a response, after content decoding.
    public struct Content: Sendable, Hashable, Codable {
        /// The length of the body in bytes, after content decoding.
        public var size: Int64
        /// The number of bytes that its content coding saved.
        public var compression: Int64?
        /// The media type declared by the server; empty for none.
        public var mimeType: String
        /// The body as UTF-8 text, or encoded as `encoding` says; nil if it was not kept.
        public var text: String?
        /// `base64`, or nil.
        public var encoding: String?
        /// A comment, for example that the body was not kept; nil for none.
        public var comment: String?

        /// A body as `text`; with `encoding` "base64" if it is not text.
        public init(
            size: Int64 = 0, mimeType: String = "", text: String? = nil, encoding: String? = nil, comment: String? = nil
        ) {
            self.size = size
            self.mimeType = mimeType
            self.text = text
            self.encoding = encoding
            self.comment = comment
        }
    }

    /// A failed call: the case of `HTTPError` and the data to restore it.
    public struct Failure: Sendable, Hashable, Codable {
        /// The name of the case.
        public var kind: String
        /// Its reason, if it has one.
        public var reason: String?
        /// The phase of the call.
        public var phase: String?
        /// The duration of the expired timeout, in seconds.
        public var seconds: Double?
        /// The number of bytes announced.
        public var expected: Int64?
        /// The number of bytes received.
        public var received: Int64?
        /// Whether the server may have received the request.
        public var mayHaveBeenProcessed: Bool?
        /// The status with which the proxy refused a tunnel.
        public var proxyStatus: Int?
        /// The engine's message.
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
            throw fields.problem(.status, "\(status) is not a status code")
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
        // Negative if the coding has made the body longer.
        compression = fields.number(.compression).map { Int64(max(-9e15, min($0, 9e15))) }
    }
}
