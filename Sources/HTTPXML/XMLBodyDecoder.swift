@_exported public import HTTPCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decodes XML: `application/xml`, `text/xml` and every `+xml` (RFC 7303).
///
///     struct Weather: RequestGenerator {
///         let baseURL = "https://weather.example.com"
///         let decoders: [any BodyDecoder] = [XMLBodyDecoder(), JSONBodyDecoder()]
///     }
///     struct Forecast: Decodable { let city: String; let celsius: [Double] }
///     // <forecast city="Bergen"><celsius>7.5</celsius><celsius>8</celsius></forecast>
///
/// A type is decoded from the document's root:
///
/// - A key is an element within, else an attribute. The key `#text` is the element's own text beside its attributes.
///   Prefixes of namespaces do not count.
/// - An array is all elements of the key's name, of which there may be one or none. Where something else is asked for and
///   there are several, that is an error. An array at the top is the elements within the root.
/// - Numbers and truth values (`true`, `false`, `1`, `0`) may have blanks around them, text keeps its own.
///   Dates are RFC 3339, `Data` is base64.
/// - An optional is nil where the element is missing, holds nothing at all, or has `xsi:nil`.
///
/// Nothing that a document refers to elsewhere is fetched. It may be used on any number of threads at once.
public struct XMLBodyDecoder: BodyDecoder {
    /// A decoder without settings.
    public init() {}

    public func accepts(_ mediaType: MediaType) -> Bool {
        mediaType.essence == "application/xml" || mediaType.essence == "text/xml" || mediaType.essence.hasSuffix("+xml")
    }

    public func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
        let root: DocumentElement
        do throws(XMLProblem) { root = try DocumentElement.root(of: body) } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: error.reason))
        }
        return try XMLValueDecoder(.element(root), at: []).value(as: type)
    }
}
