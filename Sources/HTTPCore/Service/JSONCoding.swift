#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The JSON encoder and decoder of a service. Both may be used on several threads at once, so do not change them
/// afterwards.
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

    /// Encodes request bodies.
    public let encoder: JSONEncoder
    /// Decodes response bodies.
    public let decoder: JSONDecoder
    let isStandard: Bool

    /// A custom encoder and decoder.
    public init(encoder: JSONEncoder, decoder: JSONDecoder) {
        self.init(encoder: encoder, decoder: decoder, isStandard: false)
    }

    /// Foundation's coders with these spellings of keys and dates.
    public init(keys: Keys = .asWritten, dates: Dates = .iso8601) {
        let (encoder, decoder) = (JSONEncoder(), keys == .snakeCase ? SnakeCaseDecoder() : JSONDecoder())
        if keys == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        switch dates {
        case .iso8601:
            encoder.dateEncodingStrategy = .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(TimestampText.text(of: date))
            }
            decoder.dateDecodingStrategy = .custom(Self.date)
        case .secondsSince1970:
            encoder.dateEncodingStrategy = .secondsSince1970
            decoder.dateDecodingStrategy = .secondsSince1970
        case .millisecondsSince1970:
            encoder.dateEncodingStrategy = .millisecondsSince1970
            decoder.dateDecodingStrategy = .millisecondsSince1970
        }
        self.init(encoder: encoder, decoder: decoder)
    }

    private init(encoder: JSONEncoder, decoder: JSONDecoder, isStandard: Bool) {
        self.encoder = encoder
        self.decoder = decoder
        self.isStandard = isStandard
    }

    /// Foundation's defaults: keys as written, dates as seconds since 2001.
    public static let standard = JSONCoding(encoder: JSONEncoder(), decoder: JSONDecoder(), isStandard: true)

    /// Servers write fractions or leave them out, often both in one response.
    @Sendable private static func date(_ decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        if let date = TimestampText.date(text) { return date }
        throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "\(text.debugDescription) is no date of RFC 3339")
    }
}
