@_exported public import HTTPCore
public import HTTPFoundation

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
///   beside its attributes.
/// - A key with a prefix, `dc:title`, names the elements with that prefix; for a prefix of `namespaces`, those of its
///   namespace, whatever their prefix is. A key without a prefix names the elements without one; if there are none, those
///   with any prefix, provided that they are of one namespace.
/// - An array contains all child elements of the key's name, including one or none. Several elements for any other type
///   are an error. An array at the top contains the children of the root.
/// - Numbers and Booleans (`true`, `false`, `1`, `0`) may be surrounded by white space; text keeps its own. Dates are
///   RFC 3339 unless `dates` says otherwise, `Data` is base64.
/// - An optional is nil if the element is missing, is empty, or has `xsi:nil`.
///
/// The charset is that of a byte order mark, else of the Content-Type, else of the document's declaration, else UTF-8
/// (RFC 7303 §3). A document type is skipped, and one that declares anything is an error, so that no entity can multiply or
/// be a file. So is a reference to an entity that is not one of XML's own five. Elements may be nested 200 levels deep.
/// The error for a document that is not well-formed names line and column.
///
/// Any number of threads may use one decoder at once.
public struct XMLBodyDecoder: BodyDecoder {
    /// How a `Date` is spelled. `.iso8601` by default.
    public struct Dates: Sendable {
        let parse: @Sendable (String) -> Date?

        /// RFC 3339 in any zone, with or without a fraction of a second, as in JSON.
        public static let iso8601 = Dates(parse: TimestampText.date)

        /// A number: seconds since 1970-01-01T00:00:00Z, with a fraction.
        public static let secondsSince1970 = Dates { number($0).map { Date(timeIntervalSince1970: $0) } }

        /// A number: milliseconds since 1970-01-01T00:00:00Z.
        public static let millisecondsSince1970 = Dates { number($0).map { Date(timeIntervalSince1970: $0 / 1000) } }

        /// Any other: the date of a text without the white space around it; nil if it is none.
        public static func custom(_ parse: @escaping @Sendable (String) -> Date?) -> Dates { Dates(parse: parse) }

        /// Nil for "nan" and "inf", which no date is: Foundation ends the program when it prints one of NaN.
        private static func number(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
    }

    let dates: Dates
    let namespaces: [String: String]

    /// A decoder that reads dates and prefixed names as given.
    ///
    /// - Parameters:
    ///   - dates: How a `Date` is spelled.
    ///   - namespaces: The names of namespaces by the prefixes that keys use: `["dc": "http://purl.org/dc/elements/1.1/"]`.
    public init(dates: Dates = .iso8601, namespaces: [String: String] = [:]) {
        self.dates = dates
        self.namespaces = namespaces
    }

    public func accepts(_ mediaType: MediaType) -> Bool {
        mediaType.essence == "application/xml" || mediaType.essence == "text/xml" || mediaType.essence.hasSuffix("+xml")
    }

    public func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
        try decode(type, from: body, charset: nil)
    }

    public func decode<Value: Decodable>(
        _ type: Value.Type, from body: Data, of mediaType: MediaType
    ) throws -> Value { try decode(type, from: body, charset: mediaType.charset) }

    private func decode<Value: Decodable>(_ type: Value.Type, from body: Data, charset: String?) throws -> Value {
        let root: DocumentElement
        do throws(DocumentProblem) { root = try DocumentParser.root(of: body, charset: charset) } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: error.reason))
        }
        return try XMLValueDecoder(source: .element(root), codingPath: [], options: self).decode(type)
    }
}
