#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension BodyDestination {
    /// Hands each line of the body to `take` as it comes, on the thread that makes the call.
    ///
    ///     client.executeRequest(.get(url) |> .destination(.lines { line in print(line) }))
    ///
    /// A line ends with LF, CR LF or CR, which is not part of it; what is behind the last one is a line, too, if the body
    /// is whole. The text is read by the charset of the Content-Type, else as UTF-8; bytes that do not fit it fail the
    /// call. A byte order mark is dropped. While `take` works nothing is received. An error that it throws ends the call
    /// and is kept in `BodyFailure.underlying`.
    ///
    /// - Parameters:
    ///   - limit: The longest line there may be, in bytes; 1 MiB.
    ///   - take: Gets each line.
    public static func lines(
        limit: Int = 1 << 20, _ take: @escaping @Sendable (String) throws -> Void
    ) -> BodyDestination {
        .stream { start in try TextLines(start, limit: limit) { line, _ in try take(line) }.sink }
    }

    /// Decodes each line of the body from JSON as it comes and hands it to `take`: newline-delimited JSON, also known as
    /// JSON Lines. Empty lines are passed over. A line that cannot be decoded fails the call and is named by its number
    /// and coding path. The rest is as for `lines`.
    public static func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(), limit: Int = 1 << 20,
        _ take: @escaping @Sendable (Value) throws -> Void
    ) -> BodyDestination {
        .stream { start in
            try TextLines(start, limit: limit) { line, number in
                guard !line.utf8.allSatisfy(ASCII.isBlank) else { return }
                try take(try Self.decode(line, number, as: type, by: decoder))
            }.sink
        }
    }

    private static func decode<Value: Decodable & Sendable>(
        _ line: String, _ number: Int, as type: Value.Type, by decoder: JSONDecoder
    ) throws(StreamReadingError) -> Value {
        do { return try decoder.decode(type, from: Data(line.utf8)) } catch {
            throw StreamReadingError("line \(number) is no \(type): \(DecodingFailure.words(of: error))")
        }
    }
}
