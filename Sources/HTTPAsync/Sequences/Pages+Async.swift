/// The pages, awaited: a page takes no thread while it is fetched, and its call ends with the task.
///
///     for try await page in client.pages(of: .get(url), as: [Issue].self) { print(page.count) }
extension Pages: AsyncSequence {
    public typealias Element = Page
    public typealias Failure = HTTPError

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: PageRun(self)) }

    /// One page after the other; for one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var run: PageRun<Page>

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(HTTPError) -> Page? {
            do throws(HTTPError) {
                guard let request = try run.nextRequest() else { return nil }
                let chosen = run.pages.client as? DispatchedClient
                let client = chosen?.client ?? run.pages.client
                return try run.take(
                    try await client.send(request, on: chosen?.dispatcher ?? .current, isolation: actor))
            } catch {
                run.end()
                throw error
            }
        }
    }
}

extension Pages {
    /// The same pages, awaited on `dispatcher` instead of the current one.
    ///
    ///     for try await page in client.pages(of: .get(url), as: [Issue].self).on(.shared) { print(page.count) }
    public func on(_ dispatcher: Dispatcher) -> Pages {
        var pages = self
        pages.client = DispatchedClient(client: (client as? DispatchedClient)?.client ?? client, dispatcher: dispatcher)
        return pages
    }
}

/// The client of pages whose awaited calls a dispatcher of the caller's choice makes.
private struct DispatchedClient: HTTPClient {
    let client: any HTTPClient
    let dispatcher: Dispatcher

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> { client.executeRequest(request) }
}

/// The elements of the pages, awaited.
///
///     for try await issue in client.pages(of: .get(url), as: [Issue].self).elements(\.self) { print(issue.title) }
extension PageElements: AsyncSequence {
    public typealias Element = Elements.Element
    public typealias Failure = HTTPError

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages: pages.makeAsyncIterator(), elements: elements)
    }

    /// One element after the other; for one task at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var pages: Pages<Page>.AsyncIterator
        let elements: @Sendable (Page) -> Elements
        var current: Elements.Iterator?

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(HTTPError) -> Elements.Element? {
            while true {
                if let element = current?.next() { return element }
                guard let page = try await pages.next(isolation: actor) else { return nil }
                current = elements(page).makeIterator()
            }
        }
    }
}
