public import HTTPFoundation

/// The pages of a list. Each page is requested when it is iterated.
///
///     for page in client.pages(of: .get(url), as: [Issue].self).blocking { print(try page.get().count) }
///     for try await issue in client.pages(of: .get(url), as: [Issue].self).elements(\.self) { print(issue) }   // HTTPAsync
///
/// Nothing is sent ahead, and nothing after a loop is left. Each iteration starts with the first page. In place of a
/// next page that has already been visited (by a GET without a body), is at another origin, is named by a page to which
/// a redirect to another origin led, or exceeds the page limit, there is an error, and nothing is sent: the requests
/// carry everything that the first one does, including credentials.
public struct Pages<Page: Sendable>: Sendable {
    package var client: any HTTPClient
    let first: MutableRequest
    let next: NextPage<Page>
    let limit: Int
    let origins: Set<Origin>
    let read: @Sendable (Response) throws(HTTPError) -> Page

    /// The pages for blocking code. A failure is the last element.
    @available(*, noasync, message: "import HTTPAsync and iterate by for try await")
    public var blocking: Blocking { Blocking(pages: self) }

    /// See `blocking`.
    public struct Blocking: Sequence, Sendable {
        let pages: Pages

        public func makeIterator() -> Iterator { Iterator(run: PageRun(pages)) }

        /// Iterates over the pages. Used by one thread at a time.
        public struct Iterator: IteratorProtocol {
            var run: PageRun<Page>

            @available(*, noasync, message: "import HTTPAsync and iterate by for try await")
            public mutating func next() -> Result<Page, HTTPError>? {
                do throws(HTTPError) {
                    guard let request = try run.nextRequest() else { return nil }
                    return .success(try run.take(run.pages.client.executeRequest(request).get()))
                } catch {
                    run.end()
                    return .failure(error)
                }
            }
        }
    }

    /// The elements of all pages, in order.
    public func elements<Elements: Sequence>(
        _ elements: @escaping @Sendable (Page) -> Elements
    ) -> PageElements<Page, Elements> where Elements.Element: Sendable {
        PageElements(pages: self, elements: elements)
    }
}

/// The elements of all pages, in order. The next page is requested when the elements of one are used up.
public struct PageElements<Page: Sendable, Elements: Sequence>: Sendable where Elements.Element: Sendable {
    package let pages: Pages<Page>
    package let elements: @Sendable (Page) -> Elements

    /// The elements for blocking code. A failure is the last element.
    @available(*, noasync, message: "import HTTPAsync and iterate by for try await")
    public var blocking: Blocking { Blocking(elements: self) }

    /// See `blocking`.
    public struct Blocking: Sequence, Sendable {
        let elements: PageElements

        public func makeIterator() -> Iterator {
            Iterator(pages: elements.pages.blocking.makeIterator(), elements: elements.elements)
        }

        /// Iterates over the elements. Used by one thread at a time.
        public struct Iterator: IteratorProtocol {
            var pages: Pages<Page>.Blocking.Iterator
            let elements: @Sendable (Page) -> Elements
            var current: Elements.Iterator?

            @available(*, noasync, message: "import HTTPAsync and iterate by for try await")
            public mutating func next() -> Result<Elements.Element, HTTPError>? {
                while true {
                    if let element = current?.next() { return .success(element) }
                    switch pages.next() {
                    case .success(let page)?: current = elements(page).makeIterator()
                    case .failure(let error)?: return .failure(error)
                    case nil: return nil
                    }
                }
            }
        }
    }
}

extension HTTPClient {
    /// The pages of a list that begins with `request`. Each response must have a 2xx status and is decoded as JSON.
    ///
    /// - Parameters:
    ///   - request: The request for the first page.
    ///   - type: The type of a decoded page.
    ///   - decoder: Decodes each page.
    ///   - next: How to find the next page; the Link field by default.
    ///   - limit: The maximum number of pages, 1,000 by default; one more is an error.
    ///   - origins: Allowed origins of pages besides that of the first request. Everything that the first request
    ///     carries is sent there, too.
    public func pages<Page: Decodable & Sendable>(
        of request: some RequestConvertible, as type: Page.Type = Page.self,
        decoder: JSONDecoder = JSONCoding.standard.decoder, next: NextPage<Page> = .link, limit: Int = 1000,
        allowing origins: Set<Origin> = []
    ) -> Pages<Page> {
        Pages(
            client: self, first: request.asDraft(), next: next, limit: limit, origins: origins
        ) { response throws(HTTPError) in
            try response.validated().decoded(as: Page.self, decoder: decoder)
        }
    }
}

extension Service {
    /// The pages of the list that begins with `endpoint`; see `HTTPClient.pages(of:)`.
    public func pages<Page>(
        of endpoint: Endpoint<Generator, Page>, next: NextPage<Page> = .link, limit: Int = 1000,
        allowing origins: Set<Origin> = []
    ) -> Pages<Page> {
        Pages(client: client, first: request(endpoint), next: next, limit: limit, origins: origins) {
            [generator] response throws(HTTPError) in try endpoint.value(of: response, for: generator)
        }
    }
}

extension Service where Generator: EnumeratedGenerator {
    /// The pages of the list that begins with `call`; see `HTTPClient.pages(of:)`.
    public func pages<Page: Decodable & Sendable>(
        of call: Generator.Calls, as type: Page.Type = Page.self, next: NextPage<Page> = .link, limit: Int = 1000,
        allowing origins: Set<Origin> = []
    ) -> Pages<Page> {
        pages(of: call.returning(type), next: next, limit: limit, allowing: origins)
    }
}
