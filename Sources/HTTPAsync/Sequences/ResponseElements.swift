/// The elements of a response body as they arrive: lines, records, events or bytes.
///
///     for try await line in client.stream(.get(url), as: .lines) { print(line) }
///
/// Each iteration makes its own call when its first element is requested. A few elements are held at most; when
/// they are not taken, flow control stops the server. Leaving the loop, or cancelling the task, ends the call.
///
/// Lines and bytes over a `CurlTransport` arrive on the thread of its event loop, thousands of bodies at once. Other formats
/// run code of yours, or make several exchanges: a thread of the dispatcher receives them, until the iteration ends.
public struct ResponseElements<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = HTTPError

    let client: any HTTPClient
    let draft: MutableRequest
    let format: StreamFormat<Element>
    let capacity: Int
    let dispatcher: Dispatcher

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(elements: self) }

    /// Awaits the head of the response; the elements follow.
    ///
    ///     let response = try await client.stream(.get(url), as: .lines).response()
    ///     print(response.status, response.headers["Content-Type"] ?? "")
    ///     for try await line in response { print(line) }
    ///
    /// If elements come over several connections, as events do, it is the head of the first. Otherwise they are those of
    /// this response: when it is lost, `.retry` does not ask for another.
    ///
    /// - Throws: The error that the iteration would have thrown before its first element.
    public func response(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> StreamedResponse<Element> {
        let reading = try begin(givingHead: true)
        return StreamedResponse(start: try await reading.start(isolation: isolation), reading: reading)
    }

    /// A cancelled task sends nothing.
    private func begin(givingHead: Bool = false) throws(HTTPError) -> Reading<Element> {
        if Task.isCancelled { throw .cancelled(nil) }
        return Reading(self, givingHead: givingHead)
    }

    /// The elements for blocking code: each one, or the failure as the last.
    ///
    ///     for line in client.stream(.get(url), as: .lines).blocking { print(try line.get()) }
    ///
    /// The iterating thread waits for each element. A `CancellationToken` bound around the loop ends it.
    @available(*, noasync, message: "iterate by for try await")
    public var blocking: Blocking { Blocking(elements: self) }

    /// One element after the other; for one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Nil for the iterator of a response that has begun.
        private let elements: ResponseElements?
        private var reader: Reading<Element>.Reader?

        init(elements: ResponseElements) { self.elements = elements }

        init(_ reading: Reading<Element>) { (elements, reader) = (nil, Reading.Reader(reading)) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(HTTPError) -> Element? {
            if reader == nil, let elements { reader = Reading.Reader(try elements.begin()) }
            guard let reader else { return nil }
            switch await reader.next(isolation: actor) {
            case .element(let element): return element
            case .end(let ending):
                try ending.get()
                return nil
            }
        }
    }

    /// See `blocking`.
    public struct Blocking: Sequence, Sendable {
        let elements: ResponseElements

        public func makeIterator() -> Iterator { Iterator(elements: elements) }

        /// One element after the other; for one thread at a time.
        public struct Iterator: IteratorProtocol {
            let elements: ResponseElements
            lazy var reading = Reading(elements)

            @available(*, noasync, message: "iterate by for try await")
            public mutating func next() -> Result<ResponseElements.Element, HTTPError>? {
                switch reading.channel.nextBlocking() {
                case .element(let element): return .success(element)
                case .end(.success), nil: return nil
                case .end(.failure(let error)): return .failure(error)
                }
            }
        }
    }
}
