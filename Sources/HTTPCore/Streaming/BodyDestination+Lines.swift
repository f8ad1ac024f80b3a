#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension BodyDestination {
    /// Passes each line of the body to `take` as it arrives, on the thread of the call.
    ///
    ///     client.executeRequest(.get(url) |> .destination(.lines { line in print(line) }))
    ///
    /// A line ends with LF, CR LF or CR, which is not part of it. Text after the last line end is a line too, if the
    /// body is complete. The charset is that of the Content-Type, else UTF-8; invalid bytes fail the call. A byte order
    /// mark is dropped. Nothing is received while `take` runs. A thrown error ends the call and is kept in
    /// `BodyFailure.underlying`.
    ///
    /// - Parameters:
    ///   - limit: The maximum length of a line, in bytes; 1 MiB by default.
    ///   - take: Receives each line.
    public static func lines(
        limit: Int = 1 << 20, _ take: @escaping @Sendable (String) throws -> Void
    ) -> BodyDestination {
        .stream { start in try TextLines(start, limit: limit) { line, _ in try take(line) }.sink }
    }

    /// Decodes each line of the body from JSON and passes it to `take` as it arrives: newline-delimited JSON, also
    /// known as JSON Lines. Empty lines are skipped. A line that cannot be decoded fails the call; the error names its
    /// number and coding path. Otherwise it is like `lines`.
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
