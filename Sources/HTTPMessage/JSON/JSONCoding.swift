public import HTTPFoundation

/// A JSON encoder and decoder: those of a service, or of every call that has none (`standard`). Both may be used on
/// several threads at once, so do not change them afterwards.
public struct JSONCoding: Sendable {
    /// How property names are spelled in JSON. `.asWritten` by default.
    public enum Keys: Sendable, Hashable {
        /// As written in Swift: `userID`.
        case asWritten
        /// `user_id` for `userId` and `userID`: each property is read by the key that is written for it, else by any that
        /// Foundation's `convertFromSnakeCase` would take for it.
        case snakeCase
    }

    /// How a `Date` is spelled in JSON. `.iso8601` by default.
    public enum Dates: Sendable, Hashable {
        /// RFC 3339 in UTC: `2026-03-01T09:30:00Z`, or with a fraction of a second, `2026-03-01T09:30:00.250Z`, of up to
        /// six digits when encoding and any number when decoding.
        case iso8601
        /// A number: seconds since 1970-01-01T00:00:00Z, with a fraction.
        case secondsSince1970
        /// A number: milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
    }

    /// Encodes request bodies. Names are sorted, unless the encoder is your own, so that equal values make equal bodies.
    public var encoder: JSONEncoder { own?.encoder ?? Self.encoder(.iso8601) }
    /// Decodes response bodies.
    public var decoder: JSONDecoder { own?.decoder ?? Self.decoder(JSONDecoder(), .iso8601) }

    /// Nil for the standard ones, which are made for each use: they are objects, so a change of a shared one would reach
    /// every call of the program.
    private let own: (encoder: JSONEncoder, decoder: JSONDecoder)?
    package var isStandard: Bool { own == nil }

    /// A custom encoder and decoder.
    public init(encoder: JSONEncoder, decoder: JSONDecoder) { own = (encoder, decoder) }

    /// Foundation's coders with these spellings of keys and dates.
    public init(keys: Keys = .asWritten, dates: Dates = .iso8601) {
        let (encoder, decoder) = (Self.encoder(dates), keys == .snakeCase ? SnakeCaseDecoder() : JSONDecoder())
        if keys == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        own = (encoder, Self.decoder(decoder, dates))
    }

    private init(standard: Void) { own = nil }

    /// What every call uses that names no other: keys as written, dates in ISO 8601.
    public static let standard = JSONCoding(standard: ())

    private static func encoder(_ dates: Dates) -> JSONEncoder {
        let encoder = JSONEncoder()
        // Else its order is another one each time, and two requests of equal values differ.
        encoder.outputFormatting = .sortedKeys
        switch dates {
        case .iso8601:
            encoder.dateEncodingStrategy = .custom { date, encoder in
                guard let text = TimestampText.text(of: date) else {
                    // The number: Foundation ends a process that prints such a date.
                    let context = EncodingError.Context(
                        codingPath: encoder.codingPath, debugDescription: TimestampText.outOfRange)
                    throw EncodingError.invalidValue(date.timeIntervalSince1970, context)
                }
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        case .secondsSince1970: encoder.dateEncodingStrategy = .secondsSince1970
        case .millisecondsSince1970: encoder.dateEncodingStrategy = .millisecondsSince1970
        }
        return encoder
    }

    private static func decoder(_ decoder: JSONDecoder, _ dates: Dates) -> JSONDecoder {
        switch dates {
        case .iso8601: decoder.dateDecodingStrategy = .custom(date)
        case .secondsSince1970: decoder.dateDecodingStrategy = .secondsSince1970
        case .millisecondsSince1970: decoder.dateDecodingStrategy = .millisecondsSince1970
        }
        return decoder
    }

    /// Servers write fractions or leave them out, often both in one response.
    @Sendable private static func date(_ decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        if let date = TimestampText.date(text) { return date }
        throw DecodingError.dataCorruptedError(
            in: container,
            debugDescription: "\(text.debugDescription) is not a date of RFC 3339, such as 2026-03-01T09:30:00Z")
    }
}
