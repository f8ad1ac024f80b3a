public import HTTPFoundation

/// How the body of a response is read as elements while it arrives: `.lines`, `.jsonLines`, `.serverSentEvents`, `.chunks`,
/// or a format of your own.
///
///     try client.stream(.get(url), as: .lines) { line in print(line) }
///     for try await line in client.stream(.get(url), as: .lines) { print(line) }          // HTTPAsync
public struct StreamFormat<Element: Sendable>: Sendable {
    /// Makes the call, passes its head to `tell`, and each element to `take`.
    package typealias Read =
        @Sendable (
            _ client: any HTTPClient, _ draft: MutableRequest, _ tell: @escaping @Sendable (ResponseStart) -> Void,
            _ take: @escaping @Sendable (Element) throws -> Void
        ) throws(HTTPError) -> Response

    package let read: Read
    /// The destination that passes elements on, if there is one exchange and no code of others runs on its thread.
    package var promptDestination: Destination? { isPrompt ? destination : nil }
    /// The number of elements that may wait for a reader, unless it says otherwise.
    package let buffering: Int

    /// The destination that passes elements on, if there is one exchange.
    private let destination: Destination?
    private let isPrompt: Bool

    package typealias Destination =
        @Sendable (_ take: @escaping @Sendable (Element) throws -> Void) -> BodyDestination

    init(reading read: @escaping Read) { (buffering, destination, isPrompt, self.read) = (64, nil, false, read) }

    /// A format of one response, with a destination that passes each element on.
    ///
    ///     let rows = StreamFormat<Row> { take in .lines { line in try take(Row(line)) } }
    ///
    /// A status other than 2xx is an error, `.unacceptableStatus`, which holds the response, unless the format or its
    /// destination is one `includingRefusals()`: then the elements are those of any response.
    ///
    /// - Parameters:
    ///   - buffering: The number of elements that may wait for a slow reader, unless it says otherwise.
    ///   - destination: The destination of the body; it passes each element to `take`.
    public init(
        buffering: Int = 64,
        _ destination: @escaping @Sendable (_ take: @escaping @Sendable (Element) throws -> Void) -> BodyDestination
    ) {
        self.init(buffering: buffering, isPrompt: false, destination)
    }

    /// `isPrompt`: whether the destination runs no code but this package's.
    fileprivate init(buffering: Int = 64, isPrompt: Bool, _ destination: @escaping Destination) {
        (self.buffering, self.destination, self.isPrompt) = (buffering, destination, isPrompt)
        read = { client, draft, tell, take throws(HTTPError) in
            let destination = destination(take).telling(tell)
            let response = try client.send(draft |> .destination(destination))
            if !destination.takesRefusals { _ = try response.validated() }
            // A response without a body has not been reported yet.
            tell(ResponseStart(response))
            return response
        }
    }

    /// The elements of any response, whatever its status, as a proxy passes them on; see `BodyDestination.includingRefusals()`.
    /// Of `.serverSentEvents` the call fails as `.unsupported`: events are those of a 200.
    public func includingRefusals() -> StreamFormat {
        guard let destination else {
            return StreamFormat(reading: { (_, _, _, _) throws(HTTPError) in
                throw .unsupported(Unsupported("a stream of events with refusals", "events are those of a status 200"))
            })
        }
        return StreamFormat(buffering: buffering, isPrompt: isPrompt) { destination($0).includingRefusals() }
    }
}

extension StreamFormat where Element == String {
    /// The lines of the body, of at most 1 MiB each; see `BodyDestination.lines`.
    public static var lines: StreamFormat { .lines() }

    /// The lines of the body, of at most `limit` bytes each and of the media types `types`, or of any.
    public static func lines(limit: Int = 1 << 20, accepting types: Set<String>? = nil) -> StreamFormat {
        StreamFormat(isPrompt: true) { .lines(limit: limit, accepting: types, $0) }
    }
}

extension StreamFormat where Element: Decodable {
    /// The values of newline-delimited JSON; see `BodyDestination.jsonLines`.
    public static func jsonLines(
        of type: Element.Type = Element.self, decoder: JSONDecoder = JSONCoding.standard.decoder,
        limit: Int = 1 << 20, accepting types: Set<String>? = nil
    ) -> StreamFormat {
        StreamFormat { .jsonLines(of: type, decoder: decoder, limit: limit, accepting: types, $0) }
    }
}

extension StreamFormat where Element == Data {
    /// The bytes of the body after content decoding, in pieces as the engine receives them.
    public static var chunks: StreamFormat {
        StreamFormat(buffering: 8, isPrompt: true) { take in
            .stream { _ in BodySink { bytes in try take(Data(bytes)) } }
        }
    }
}

extension HTTPClient {
    /// Reads the body of a response as elements of `format`, and passes each one to `take` on this thread, as it
    /// arrives. Nothing is received while `take` runs.
    ///
    ///     try client.stream(.get(url), as: .serverSentEvents) { event in
    ///         if event.data == "[DONE]" { throw StopReading() }
    ///         print(event.data)
    ///     }
    ///
    /// It returns at the end of the body, or when `take` throws `StopReading`; a stream of events goes on over other
    /// connections. There is no total timeout unless the request sets one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - format: What the elements are.
    ///   - take: Receives each element.
    /// - Returns: The response with its trailers and metrics, without the body; of events that of the last connection.
    /// - Throws: As `send`; `.unacceptableStatus` for a status other than 2xx, of events other than 200 and 204, which
    ///   ends them; `.decoding` for a body of another form; `.body` for an error that `take` throws, which is kept in
    ///   `BodyFailure.underlying`.
    @available(*, noasync, message: "import HTTPAsync and iterate by for try await")
    @discardableResult
    public func stream<Element>(
        _ request: some RequestConvertible, as format: StreamFormat<Element>,
        _ take: @escaping @Sendable (Element) throws -> Void
    ) throws(HTTPError) -> Response {
        try format.read(self, request.asDraft(), { _ in }, take)
    }
}
