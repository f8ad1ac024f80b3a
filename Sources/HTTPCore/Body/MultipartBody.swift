#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A form with files, `multipart/form-data` (RFC 7578), encoded as browsers do (WHATWG HTML, "multipart form data").
///
/// The form is never whole in memory: each part is read while it is sent. Its length is announced if the length of
/// every part is known; that of a file is known when the exchange starts.
public struct MultipartBody: Sendable, Hashable {
    /// The parts in the order in which they are sent.
    public let parts: [Part]
    /// The delimiter between the parts. It is random, so that it does not occur in them.
    public let boundary: String

    /// A form of `parts`, in order. `boundary` is for tests: 1 to 70 characters that RFC 2046 §5.1.1 allows.
    public init(_ parts: [Part], boundary: String? = nil) {
        self.parts = parts
        self.boundary = boundary ?? Self.randomBoundary()
    }

    /// One field of a form.
    public struct Part: Sendable, Hashable {
        /// The name of the field, in any characters. Quotes and line breaks in it are percent-encoded (WHATWG HTML
        /// §4.10.21.8).
        public let name: String
        /// The file name; nil for a field that is not a file.
        public let filename: String?
        /// The content. Its content type, if it has one, becomes that of the part.
        public let body: RequestBody

        /// A part with any body. With a `filename` it is a file field.
        public init(_ name: String, _ body: RequestBody, filename: String? = nil) {
            self.name = name
            self.filename = filename
            self.body = body
        }

        /// A text field, in UTF-8. Every line break becomes CR LF, as the standard requires.
        public static func text(_ name: String, _ value: String) -> Part {
            Part(name, .data(Data(MultipartEncoding.normalized(value).utf8)))
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
            let last = path.split(separator: "/").last.map(String.init) ?? path
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

    /// `multipart/form-data` with its boundary.
    public var contentType: String {
        "multipart/form-data; boundary=\(ASCII.isToken(boundary) ? boundary : "\"\(boundary)\"")"
    }

    private static func randomBoundary() -> String {
        let digits = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }
        return "----straightline-" + digits.joined()
    }
}
