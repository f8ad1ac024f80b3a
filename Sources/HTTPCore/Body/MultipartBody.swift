public import HTTPFoundation

/// A form with files, `multipart/form-data` (RFC 7578), encoded as browsers do (WHATWG HTML, "multipart form data"); or
/// the parts of a `multipart/related` (RFC 2387) or `multipart/mixed` (RFC 2046 §5.1.3) body.
///
/// The body is never whole in memory: each part is read while it is sent. Its length is announced if the length of
/// every part is known; that of a file is known when the exchange starts.
public struct MultipartBody: Sendable, Hashable {
    /// The parts in the order in which they are sent.
    public let parts: [Part]
    /// The delimiter between the parts. It is random unless it was given, so that it does not occur in them.
    public let boundary: String
    /// What the parts are to each other.
    public let kind: Kind

    /// The kinds of multipart bodies.
    public enum Kind: Sendable, Hashable {
        /// The fields of a form (RFC 7578).
        case formData
        /// Parts that form one object, of which the first is the root (RFC 2387). Its media type is the parameter `type`.
        case related
        /// Independent parts in order (RFC 2046 §5.1.3).
        case mixed
    }

    /// Parts that form one object, of which the first is the root (RFC 2387), such as metadata and a file.
    ///
    ///     .body(.multipart(.related([.part(.data(json, contentType: "application/json")), .part(.file("a.jpg"))])))
    public static func related(_ parts: [Part], boundary: String? = nil) -> MultipartBody {
        MultipartBody(parts, boundary: boundary, kind: .related)
    }

    /// Independent parts in order (RFC 2046 §5.1.3), such as the requests of a batch.
    public static func mixed(_ parts: [Part], boundary: String? = nil) -> MultipartBody {
        MultipartBody(parts, boundary: boundary, kind: .mixed)
    }

    /// A form of `parts`, in order. `boundary` is for tests: 1 to 70 characters that RFC 2046 §5.1.1 allows.
    public init(_ parts: [Part], boundary: String? = nil) { self.init(parts, boundary: boundary, kind: .formData) }

    private init(_ parts: [Part], boundary: String?, kind: Kind) {
        self.parts = parts
        self.boundary = boundary ?? Self.randomBoundary()
        self.kind = kind
    }

    /// One field of a form, or one part of another body.
    public struct Part: Sendable, Hashable {
        /// The name of the field, in any characters. Quotes and line breaks in it are percent-encoded (WHATWG HTML
        /// §4.10.21.8).
        public let name: String
        /// The file name; nil for a field that is not a file.
        public let filename: String?
        /// The content. Its content type, if it has one, becomes that of the part.
        public let body: RequestBody
        /// Further header fields of the part, such as Content-ID. A Content-Type replaces that of the body. In a form,
        /// Content-Disposition is set by the form and must not be among them.
        public let headers: HTTPHeaders

        /// A part with any body. With a `filename` it is a file field.
        public init(_ name: String, _ body: RequestBody, filename: String? = nil, headers: HTTPHeaders = [:]) {
            self.name = name
            self.filename = filename
            self.body = body
            self.headers = headers
        }

        /// A part of a `related` or `mixed` body, which has no name.
        public static func part(_ body: RequestBody, headers: HTTPHeaders = [:]) -> Part {
            Part("", body, headers: headers)
        }

        /// The same part with these header fields too.
        public func addingHeaders(_ headers: HTTPHeaders) -> Part {
            Part(name, body, filename: filename, headers: HTTPHeaders(Array(self.headers) + Array(headers)))
        }

        /// A text field, in UTF-8. Every line break becomes CR LF, as the standard requires.
        public static func text(_ name: String, _ value: String) -> Part {
            Part(name, .data(Data(MultipartText.normalized(value).utf8)))
        }

        /// Bytes as a part, with a file name if the server expects a file.
        public static func data(
            _ name: String, _ data: Data, filename: String? = nil, contentType: String = "application/octet-stream"
        ) -> Part {
            Part(name, .data(data, contentType: contentType), filename: filename)
        }

        /// The file at `path`. The file name is the last component of the path unless `filename` is given.
        public static func file(
            _ name: String, _ path: some FileLocation, filename: String? = nil,
            contentType: String = "application/octet-stream"
        ) -> Part {
            let path = path.filePath
            // By bytes: a combining mark after the slash does not change the slash for the system.
            let last = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
            return Part(name, .file(path, contentType: contentType), filename: filename ?? last)
        }

        /// A streamed part; see `RequestBody.stream`.
        public static func stream(
            _ name: String, length: Int64? = nil, filename: String? = nil,
            contentType: String = "application/octet-stream", replayable: Bool = true,
            makeSource: @escaping @Sendable () throws -> BodySource
        ) -> Part {
            let body = RequestBody.stream(
                length: length, contentType: contentType, replayable: replayable, makeSource: makeSource)
            return Part(name, body, filename: filename)
        }
    }

    /// `multipart/form-data` or the like, with its boundary.
    public var contentType: String {
        let mark = "; boundary=\(ASCII.isToken(boundary) ? boundary : "\"\(boundary)\"")"
        return switch kind {
        case .formData: "multipart/form-data" + mark
        case .mixed: "multipart/mixed" + mark
        case .related: "multipart/related" + mark + (rootType.map { "; type=\"\($0)\"" } ?? "")
        }
    }

    /// The media type of the root without its parameters, which would need to be quoted within quotes.
    private var rootType: String? {
        parts.first.flatMap { $0.headers["Content-Type"] ?? $0.body.contentType }.flatMap(MediaType.init)?.essence
    }

    private static func randomBoundary() -> String {
        let digits = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }
        return "----straightline-" + digits.joined()
    }
}
