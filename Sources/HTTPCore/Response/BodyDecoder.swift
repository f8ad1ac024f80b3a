public import HTTPFoundation

/// Decodes the bodies of some media types. A response chooses among decoders by its Content-Type:
///
///     response.decoded(as: Forecast.self, by: [JSONBodyDecoder(), PropertyListBodyDecoder(), ForecastXML()])
///
/// A decoder may be used on several threads at once.
public protocol BodyDecoder: Sendable {
    /// Whether it decodes bodies of this type.
    func accepts(_ mediaType: MediaType) -> Bool

    /// Decodes `body`. Any thrown error is reported as `.decoding`, with the response.
    func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value

    /// The same for a body whose Content-Type is known, for decoders that need its parameters. By default they are
    /// ignored.
    func decode<Value: Decodable>(_ type: Value.Type, from body: Data, of mediaType: MediaType) throws -> Value
}

extension BodyDecoder {
    public func decode<Value: Decodable>(
        _ type: Value.Type, from body: Data, of mediaType: MediaType
    ) throws -> Value { try decode(type, from: body) }

    /// The body of `response`, whatever its type.
    func decode<Value: Decodable>(_ type: Value.Type, from response: Response) throws -> Value {
        guard let mediaType = response.mediaType else { return try decode(type, from: response.body) }
        return try decode(type, from: response.body, of: mediaType)
    }
}

/// `application/json`, `text/json` and every `+json` (RFC 6839 §3.1).
public struct JSONBodyDecoder: BodyDecoder {
    private let decoder: JSONDecoder

    /// Decodes JSON bodies with `decoder`, which must not be changed afterwards: it may be used on several threads at
    /// once.
    public init(_ decoder: JSONDecoder = JSONCoding.standard.decoder) { self.decoder = decoder }

    public func accepts(_ mediaType: MediaType) -> Bool { mediaType.isJSON }

    public func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
        try decoder.explained(type, from: body)
    }
}

/// `application/x-plist` and the other names of property lists, in XML or binary.
///
/// A list with more than 512 levels is an error. So is a binary one that refers to the same objects so often that it
/// expands to more than a million values, and more than it has bytes; 64 bytes of a text or of data count as a value.
public struct PropertyListBodyDecoder: BodyDecoder {
    private let decoder: PropertyListDecoder

    /// Decodes property lists with `decoder`, which must not be changed afterwards: it may be used on several threads
    /// at once.
    public init(_ decoder: PropertyListDecoder = PropertyListDecoder()) { self.decoder = decoder }

    public func accepts(_ mediaType: MediaType) -> Bool { mediaType.isPropertyList }

    public func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
        if let defect = PropertyListDefect.find(in: body) {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: defect))
        }
        return try decoder.decode(type, from: body)
    }
}
