import HTTPFoundation
import HTTPTesting

/// Matches a request with the recorded one that is equal in certain aspects.
///
///     ArchiveMatcher(.method, .url(ignoring: "timestamp"), .header("Accept-Language"))
///
/// Both requests are masked first, so different credentials do not matter.
public struct ArchiveMatcher: Sendable {
    /// The aspects that must be equal, in the order in which differences are reported.
    public let aspects: [Aspect]

    /// A matcher by `aspects`. Without any, all requests are equal.
    public init(_ aspects: Aspect...) { self.aspects = aspects }

    /// A matcher by `aspects`, all of which must be equal.
    public init(_ aspects: [Aspect]) { self.aspects = aspects }

    /// Method, URL and body.
    public static let standard = ArchiveMatcher(.method, .url, .body)

    /// One aspect that must be equal.
    public struct Aspect: Sendable {
        /// Its name in messages.
        public let name: String
        let value: @Sendable (HTTPArchive.Request) -> String?
        /// What to compare if one of the two values is unknown.
        var part: @Sendable (HTTPArchive.Request) -> String? = { _ in nil }

        /// A custom aspect.
        ///
        /// - Parameters:
        ///   - name: Its name in messages.
        ///   - value: The value to compare, byte by byte. Nil means unknown, and equals anything.
        public init(_ name: String, _ value: @escaping @Sendable (HTTPArchive.Request) -> String?) {
            self.name = name
            self.value = value
        }
    }

    /// An aspect in which two requests differ.
    struct Difference: Hashable {
        let name: String
        let asked: String
        let recorded: String
    }

    /// An aspect of one request.
    struct Value: Sendable {
        let whole: String?
        let part: String?

        /// How they differ: the wholes where both are known, else the parts. Nil if they are equal, or not known.
        func difference(from recorded: Value) -> (asked: String, recorded: String)? {
            let isWhole = whole != nil && recorded.whole != nil
            guard let one = isWhole ? whole : part, let other = isWhole ? recorded.whole : recorded.part,
                one.utf8.count != other.utf8.count || !one.utf8.elementsEqual(other.utf8)
            else { return nil }
            return (one, other)
        }
    }

    func values(_ request: HTTPArchive.Request) -> [Value] {
        aspects.map { Value(whole: $0.value(request), part: $0.part(request)) }
    }

    func differences(_ asked: [Value], _ recorded: [Value]) -> [Difference] {
        zip(aspects, zip(asked, recorded)).compactMap { aspect, values in
            values.0.difference(from: values.1).map { Difference(name: aspect.name, asked: $0, recorded: $1) }
        }
    }

    /// Whether there is no difference. All entries are asked for each call, so it ends at the first.
    func isMatch(_ asked: [Value], _ recorded: [Value]) -> Bool {
        zip(asked, recorded).allSatisfy { $0.difference(from: $1) == nil }
    }
}

extension ArchiveMatcher.Aspect {
    /// The method.
    public static let method = Self("method") { $0.method }

    /// The whole URL as sent.
    public static let url = Self("URL") { (try? HTTPURL($0.url).string) ?? $0.url }

    /// The URL without the query items of these names.
    public static func url(ignoring names: String...) -> Self { url(ignoring: names) }

    /// The same with a list.
    public static func url(ignoring names: [String]) -> Self {
        let names = Set(names)
        return Self("URL") { request in
            let url = (try? HTTPURL(request.url).string) ?? request.url
            guard let mark = url.firstIndex(of: "?") else { return url }
            let items = url[url.index(after: mark)...].split(separator: "&").filter { item in
                !names.contains(FormText.items(item, isForm: false).first?.name ?? "")
            }
            return url[..<mark] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
        }
    }

    /// The path only, so that an archive of one server answers for another.
    public static let path = Self("path") { request in
        (try? HTTPURL(request.url)).map { String($0.path) } ?? request.url
    }

    /// All values of a header field, or its absence.
    public static func header(_ name: String) -> Self {
        Self("header \(name)") { request in
            let values = request.headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
            return values.joined(separator: ", ")
        }
    }

    /// The body. JSON is compared by value, and a form with files without its random boundary. A form of which the
    /// archive has only the fields (`params`) is compared by these. A body that the archive does not contain equals any.
    public static let body: Self = {
        var aspect = Self("body") { request in
            guard let body = request.postData else { return request.bodySize > 0 ? nil : "" }
            guard !body.text.isEmpty else {
                return request.bodySize == 0 && body.params?.isEmpty ?? true ? "" : nil
            }
            let kind = BodyKind(body.mimeType)
            guard !kind.isMultipart, let text = body.plainText else { return body.withoutBoundary }
            // In one encoding: that of fields is ours.
            if kind.isForm { return FormEncoding.encode(FormText.items(text)) }
            return JSONValue(parsing: text)?.canonicalText ?? text
        }
        aspect.part = { $0.postData == nil ? $0.bodySize > 0 ? nil : "" : $0.postData?.fields }
        return aspect
    }()
}

extension HTTPArchive.PostData {
    /// The names and values of a form; nil if they are not known. Of a file only the name of its field counts.
    fileprivate var fields: String? {
        guard let params, !params.isEmpty else { return text.isEmpty ? nil : text }
        return params.map { field in
            let isFile = field.fileName != nil
            return "\(field.name)=\(isFile ? "(a file)" : field.value ?? "")"
        }.joined(separator: "&")
    }

    /// The text, which an older archive has in base64 if its type did not tell that it is one; nil for bytes.
    fileprivate var plainText: String? {
        encoding == nil ? text : Data(base64Encoded: text).flatMap(BodyKind(mimeType).text)
    }

    fileprivate var withoutBoundary: String {
        guard let boundary = BodyKind(mimeType).boundary else { return text }
        guard encoding == "base64", let data = Data(base64Encoded: text) else {
            return text.replacing(boundary, with: "boundary")
        }
        return ByteText(data).text.replacing(boundary, with: "boundary")
    }
}
