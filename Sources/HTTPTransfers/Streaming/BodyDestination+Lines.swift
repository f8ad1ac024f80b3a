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
            let values = JSONLines(start, decoder, take)
            return try values.sink(over: TextLines(start, limit: limit, take: values.take).sink)
        }
    }
}

/// Decodes the lines of one body.
private final class JSONLines<Value: Decodable & Sendable> {
    private let start: ResponseStart
    private let decoder: JSONDecoder
    private let deliver: @Sendable (Value) throws -> Void
    /// Set once a line cannot be decoded and the body is of another type: the rest is kept for the error.
    private var unexpected: UnexpectedBody?

    init(_ start: ResponseStart, _ decoder: JSONDecoder, _ deliver: @escaping @Sendable (Value) throws -> Void) {
        (self.start, self.decoder, self.deliver) = (start, decoder, deliver)
    }

    func take(_ text: String, _ number: Int) throws {
        guard unexpected == nil else { return try keep(text) }
        guard !text.utf8.allSatisfy(ASCII.isJSONSpace) else { return }
        let value: Value
        do { value = try decoder.explained(Value.self, from: Data(text.utf8)) } catch {
            let part = Data(text.utf8)
            let mediaType = start.headers["Content-Type"].flatMap(MediaType.init)
            guard let mediaType, mediaType.essence.hasPrefix("text/html") || mediaType.essence.hasSuffix("xml") else {
                throw start.fault(in: part, named: "line \(number)", target: "\(Value.self)", underlying: error)
            }
            unexpected = UnexpectedBody(
                start, target: "\(Value.self)",
                reason: "it is of the type \(ASCII.printable(mediaType.essence)), and line \(number) is no JSON")
            return try keep(text)
        }
        try deliver(value)
    }

    private func keep(_ text: String) throws {
        try Data((text + "\n").utf8).withUnsafeBytes { bytes in try unexpected?.write(bytes) }
    }

    /// `sink`, which gets the bytes, with the error at its end if there is one.
    func sink(over sink: BodySink) -> BodySink {
        BodySink(
            write: sink.write,
            finish: { [self] in
                try sink.finish()
                if let unexpected { throw unexpected.fault }
            }, abandon: sink.abandon)
    }
}
