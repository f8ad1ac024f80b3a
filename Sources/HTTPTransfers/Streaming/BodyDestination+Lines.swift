public import HTTPFoundation

extension BodyDestination {
    /// Passes each line of the body to `take` as it arrives, on the thread of the call.
    ///
    ///     client.executeRequest(.get(url) |> .destination(.lines { line in print(line) }))
    ///
    /// A line ends with LF, CR LF or CR, which is not part of it. Text after the last line end is a line too, if the
    /// body is complete. The charset is that of the Content-Type, else UTF-8; invalid bytes fail the call. A
    /// byte order mark is dropped. Nothing is received while `take` runs. A thrown error ends the call and is kept in
    /// `BodyFailure.underlying`.
    ///
    /// The idle limit holds between two bytes, 30 seconds by default: for lines that come more rarely, use
    /// `.idleTimeout(nil)` or a longer one. There is no total limit unless the request sets one.
    ///
    /// - Parameters:
    ///   - limit: The maximum length of a line, in bytes; 1 MiB by default.
    ///   - types: The media types that are read; nil, the default, for all. A body of another type fails the call with
    ///     `.decoding`, whose response has up to 64 KiB of it.
    ///   - take: Receives each line.
    public static func lines(
        limit: Int = 1 << 20, accepting types: Set<String>? = nil, _ take: @escaping @Sendable (String) throws -> Void
    ) -> BodyDestination {
        .stream(of: "stream of lines", accepting: types) { start in
            try TextLines(start, limit: limit) { line, _ in try take(line) }.sink
        }
    }

    /// Decodes each line of the body from JSON and passes it to `take` as it arrives: newline-delimited JSON, also
    /// known as JSON Lines. Empty lines are skipped. A line that cannot be decoded fails the call with `.decoding`; the
    /// error names its number and coding path, and its response has the line as its body. If the body is HTML or XML,
    /// such as the page of a login, its response has up to 64 KiB of the body from that line on. Otherwise it is like
    /// `lines`, with the same idle limit.
    public static func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder, limit: Int = 1 << 20,
        accepting types: Set<String>? = nil, _ take: @escaping @Sendable (Value) throws -> Void
    ) -> BodyDestination {
        .stream(of: "stream of JSON", accepting: types) { start in
            try JSONItems(start, decoder, "line", take).sink { items in
                try TextLines(start, limit: limit) { line, number in try items.take(line, number) }.sink
            }
        }
    }

    /// Decodes each text of a JSON text sequence (`application/json-seq`, RFC 7464) and passes it to `take` as it
    /// arrives. A text begins with a record separator, 0x1E, and may span lines. One that cannot be decoded, or was cut
    /// off, fails the call like a line of `jsonLines`, with the same idle limit.
    ///
    /// - Parameters:
    ///   - type: The type of each value.
    ///   - decoder: Decodes each text.
    ///   - limit: The maximum length of a text, in bytes; 1 MiB by default.
    ///   - types: The media types that are read; nil, the default, for all.
    ///   - take: Receives each value.
    public static func jsonSequence<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder, limit: Int = 1 << 20,
        accepting types: Set<String>? = nil, _ take: @escaping @Sendable (Value) throws -> Void
    ) -> BodyDestination {
        .stream(of: "sequence of JSON texts", accepting: types) { start in
            try JSONItems(start, decoder, "text", take).sink { items in
                try TextLines(start, limit: limit, separator: 0x1E) { text, number in
                    // What stands before the first separator; it is empty.
                    let isLiteral = text.utf8.last.map { !ASCII.isJSONSpace($0) && !"}]\"".utf8.contains($0) } ?? false
                    guard number > 1 || text.utf8.allSatisfy(ASCII.isJSONSpace) else {
                        throw start.fault(
                            in: Data(text.utf8), target: "sequence of JSON texts",
                            reason: "it does not begin with a record separator, 0x1E (RFC 7464 §2.2)")
                    }
                    // RFC 7464 §2.4: it may be the beginning of a longer number or word.
                    guard !isLiteral else {
                        throw start.fault(
                            in: Data(text.utf8), target: "\(Value.self)",
                            reason: "text \(number - 1) has no line feed at its end: it may be cut off (RFC 7464 §2.4)")
                    }
                    try items.take(text, number - 1)
                }.sink
            }
        }
    }
}

/// Decodes the items of one body.
private final class JSONItems<Value: Decodable & Sendable> {
    private let start: ResponseStart
    private let decoder: JSONDecoder
    private let name: String
    private let deliver: @Sendable (Value) throws -> Void
    /// Set once an item cannot be decoded and the body is of another type: the rest is kept for the error.
    private var unexpected: UnexpectedBody?

    /// `name` is that of an item.
    init(
        _ start: ResponseStart, _ decoder: JSONDecoder, _ name: String,
        _ deliver: @escaping @Sendable (Value) throws -> Void
    ) {
        (self.start, self.decoder, self.name, self.deliver) = (start, decoder, name, deliver)
    }

    func take(_ text: String, _ number: Int) throws {
        guard unexpected == nil else { return try keep(text) }
        guard !text.utf8.allSatisfy(ASCII.isJSONSpace) else { return }
        let value: Value
        do { value = try decoder.explained(Value.self, from: Data(text.utf8)) } catch {
            let part = Data(text.utf8)
            let mediaType = start.headers["Content-Type"].flatMap(MediaType.init)
            guard let mediaType, mediaType.essence.hasPrefix("text/html") || mediaType.essence.hasSuffix("xml") else {
                throw start.fault(in: part, named: "\(name) \(number)", target: "\(Value.self)", underlying: error)
            }
            unexpected = UnexpectedBody(
                start, target: "\(Value.self)",
                reason: "it is of the type \(ASCII.printable(mediaType.essence)), and \(name) \(number) is no JSON")
            return try keep(text)
        }
        try deliver(value)
    }

    private func keep(_ text: String) throws {
        try Data((text + "\n").utf8).withUnsafeBytes { bytes in try unexpected?.write(bytes) }
    }

    /// The sink that `make` builds over this, which ends in the error if there is one.
    func sink(_ make: (JSONItems) throws -> BodySink) rethrows -> BodySink {
        let sink = try make(self)
        return BodySink(
            write: sink.write,
            finish: { [self] in
                try sink.finish()
                if let unexpected { throw unexpected.fault }
            }, abandon: sink.abandon)
    }
}
