public import HTTPCore

/// What the body of a response brings, piece by piece while it comes: lines, records, events or bytes.
///
///     for try await line in client.lines(of: .get(url)) { print(line) }
///
/// Each iteration makes a call of its own, when its first element is asked for. A few elements are held at most; when
/// they are not taken the server has to wait. Leaving the loop, or cancelling the task, ends the call.
///
/// The thread that receives is the dispatcher's, and is taken for as long as the iteration lasts.
public struct ResponseElements<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = HTTPError

    let capacity: Int
    let dispatcher: Dispatcher
    /// Makes the call on a thread of the dispatcher, says how its response begins, and sends what comes.
    let produce: @Sendable (Channel<Element>, HeadChannel) -> Result<Void, HTTPError>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(elements: self) }

    /// Awaits the head of the response, which comes with the elements that follow.
    ///
    ///     let response = try await client.lines(of: .get(url)).response()
    ///     print(response.status, response.headers["Content-Type"] ?? "")
    ///     for try await line in response { print(line) }
    ///
    /// Where elements come from one connection after the other, as events do, it is the head of the first.
    ///
    /// - Throws: What the iteration would have thrown before its first element.
    public func response(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> StreamedResponse<Element> {
        let reading = Reading(self)
        return StreamedResponse(start: try await reading.start(isolation: isolation), reading: reading)
    }

    /// The elements for code that blocks: each one, or the failure as the last.
    ///
    ///     for line in client.lines(of: .get(url)).blocking { print(try line.get()) }
    ///
    /// The iterating thread waits for each element. A `CancellationToken` bound around the loop ends it.
    @available(*, noasync, message: "iterate by for try await")
    public var blocking: Blocking { Blocking(elements: self) }

    /// One element after the other; for one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Nil for one of a response that has begun.
        private let elements: ResponseElements?
        private var reading: Reading<Element>?

        init(elements: ResponseElements) { self.elements = elements }

        init(_ reading: Reading<Element>) { (elements, self.reading) = (nil, reading) }

        public mutating func next() async throws(HTTPError) -> Element? { try await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(HTTPError) -> Element? {
            guard let current = reading ?? elements.map(Reading.init) else { return nil }
            reading = current
            switch await current.channel.next(isolation: actor) {
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
            private var reading: Reading<ResponseElements.Element>?

            init(elements: ResponseElements) { self.elements = elements }

            public mutating func next() -> Result<ResponseElements.Element, HTTPError>? {
                let current = reading ?? Reading(elements)
                reading = current
                switch current.channel.nextBlocking() {
                case .element(let element): return .success(element)
                case .end(.success), nil: return nil
                case .end(.failure(let error)): return .failure(error)
                }
            }
        }
    }
}
