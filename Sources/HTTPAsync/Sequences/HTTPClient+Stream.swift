extension HTTPClient {
    /// The elements of a response's body as they arrive, to iterate over: lines, JSON values, events, bytes.
    ///
    ///     for try await line in client.stream(.get(url), as: .lines) { print(line) }
    ///     for try await event in client.stream(.get(url), as: .serverSentEvents) { print(event.data) }
    ///
    /// A status other than 2xx, and for events any but 200 and 204, ends the iteration with `.unacceptableStatus`,
    /// which holds the response, unless the format includes refusals, as `.chunks.includingRefusals()` does. There
    /// is no total timeout unless the request sets one, which then includes the waits for a slot of the dispatcher and
    /// for a slow reader. Without one the former lasts as long as all slots are taken.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - format: What the elements are.
    ///   - buffering: The maximum number of elements held for a slow reader; by default that of the format, 64, or 8
    ///     pieces of bytes.
    ///   - dispatcher: Counts the call, and supplies the thread of a format that needs one.
    public func stream<Element>(
        _ request: some RequestConvertible, as format: StreamFormat<Element>, buffering: Int? = nil,
        on dispatcher: Dispatcher = .streams
    ) -> ResponseElements<Element> {
        ResponseElements(
            client: self, draft: request.asDraft(), format: format, capacity: buffering ?? format.buffering,
            dispatcher: dispatcher)
    }
}
