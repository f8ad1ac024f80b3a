import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which recorded request a request is: the one that is equal to it in each of some aspects.
///
///     ArchiveMatcher(.method, .url(ignoring: "timestamp"), .header("Accept-Language"))
///
/// Both requests come to it without their secrets, so that other credentials make no other request.
public struct ArchiveMatcher: Sendable {
    /// What must be equal, in the order in which differences are told.
    public let aspects: [Aspect]

    /// A matcher for which all of `aspects` must be equal. Of no aspect, every request is equal to every other.
    public init(_ aspects: Aspect...) { self.aspects = aspects }

    /// A matcher for which all of `aspects` must be equal.
    public init(_ aspects: [Aspect]) { self.aspects = aspects }

    /// Method, URL and body.
    public static let standard = ArchiveMatcher(.method, .url, .body)

    /// One thing that must be equal.
    public struct Aspect: Sendable {
        /// What a message calls it.
        public let name: String
        let value: @Sendable (HTTPArchive.Request) -> String?

        /// An aspect of your own, which is compared with those of recorded requests.
        ///
        /// - Parameters:
        ///   - name: What a message calls it.
        ///   - value: What is compared, byte by byte. Nil says that it is not known, and is equal to anything.
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

    func values(_ request: HTTPArchive.Request) -> [String?] { aspects.map { $0.value(request) } }

    func differences(_ asked: [String?], _ recorded: [String?]) -> [Difference] {
        zip(aspects, zip(asked, recorded)).compactMap { aspect, values in
            guard let asked = values.0, let recorded = values.1, !asked.utf8.elementsEqual(recorded.utf8) else {
                return nil
            }
            return Difference(name: aspect.name, asked: asked, recorded: recorded)
        }
    }
}

extension ArchiveMatcher.Aspect {
    /// The method.
    public static let method = Self("method") { $0.method }

    /// The whole URL, in the spelling in which it is sent.
    public static let url = Self("URL") { (try? HTTPURL($0.url).string) ?? $0.url }

    /// The URL without the query items of these names.
    public static func url(ignoring names: String...) -> Self {
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

    /// The path alone, so that an archive of one server answers for another.
    public static let path = Self("path") { request in
        (try? HTTPURL(request.url)).map { String($0.path) } ?? request.url
    }

    /// Every value of a header field; where there is none, that.
    public static func header(_ name: String) -> Self {
        Self("header \(name)") { request in
            let values = request.headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
            return values.joined(separator: ", ")
        }
    }

    /// The body. JSON is compared by what it says and not by its spelling, a form with files without the text between
    /// its parts, which is random. A body that the archive has not kept is equal to any.
    public static let body = Self("body") { request in
        guard let body = request.postData else { return request.bodySize > 0 ? nil : "" }
        guard !body.text.isEmpty else { return request.bodySize == 0 ? "" : nil }
        guard body.encoding == nil else { return body.withoutBoundary }
        let kind = BodyKind(body.mimeType)
        if kind.isMultipart { return body.withoutBoundary }
        return kind.isForm ? body.text : JSONValue(parsing: body.text)?.canonicalText ?? body.text
    }
}

extension HTTPArchive.PostData {
    fileprivate var withoutBoundary: String {
        guard let boundary = BodyKind(mimeType).boundary else { return text }
        guard encoding == "base64", let data = Data(base64Encoded: text) else {
            return text.replacing(boundary, with: "boundary")
        }
        return ByteText(data).text.replacing(boundary, with: "boundary")
    }
}
