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
/// - A key is a child element, or an attribute if there is no such element. The key `#text` is the element's own text
///   beside its attributes. Namespace prefixes are ignored.
/// - An array contains all child elements of the key's name, including one or none. Several elements for any other type
///   are an error. An array at the top contains the children of the root.
/// - Numbers and Booleans (`true`, `false`, `1`, `0`) may be surrounded by white space; text keeps its own. Dates are
///   RFC 3339, `Data` is base64.
/// - An optional is nil if the element is missing, is empty, or has `xsi:nil`.
///
/// External references in a document are not fetched. Any number of threads may use one decoder at once.
public struct XMLBodyDecoder: BodyDecoder {
    /// A decoder. It has no settings.
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
