#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The pages of a list, one request for each, made when the page is asked for.
///
///     for page in client.pages(of: .get(url), as: [Issue].self).blocking { print(try page.get().count) }
///     for try await issue in client.pages(of: .get(url), as: [Issue].self).elements(\.self) { print(issue) }   // HTTPAsync
///
/// Nothing is sent ahead, and nothing behind the page at which a loop is left. Each iteration begins with the first page.
/// A page that leads to where its list has been, to another origin, or beyond the limit of pages is an error in place of
/// the next page, and nothing is sent: the requests carry what the first one does, credentials among it.
public struct Pages<Page: Sendable>: Sendable {
    package let client: any HTTPClient
    let first: MutableRequest
    let next: NextPage<Page>
    let limit: Int
    let origins: Set<Origin>
    let read: @Sendable (Response) throws(HTTPError) -> Page

    /// The pages for code that blocks: each one, or the failure as the last.
    @available(*, noasync, message: "import HTTPAsync and iterate by for try await")
    public var blocking: Blocking { Blocking(pages: self) }

    /// See `blocking`.
    public struct Blocking: Sequence, Sendable {
        let pages: Pages

        public func makeIterator() -> Iterator { Iterator(run: PageRun(pages)) }

        /// One page after the other; for one thread at a time.
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

    /// The elements of the pages, one after the other.
    public func elements<Elements: Sequence>(
        _ elements: @escaping @Sendable (Page) -> Elements
    ) -> PageElements<Page, Elements> where Elements.Element: Sendable {
        PageElements(pages: self, elements: elements)
    }
}

/// What the pages of a list hold, one after the other. The next page is asked for when those of one are used up.
public struct PageElements<Page: Sendable, Elements: Sequence>: Sendable where Elements.Element: Sendable {
    package let pages: Pages<Page>
    package let elements: @Sendable (Page) -> Elements

    /// The elements for code that blocks: each one, or the failure as the last.
    @available(*, noasync, message: "import HTTPAsync and iterate by for try await")
    public var blocking: Blocking { Blocking(elements: self) }

    /// See `blocking`.
    public struct Blocking: Sequence {
        let elements: PageElements

        public func makeIterator() -> Iterator {
            Iterator(pages: elements.pages.blocking.makeIterator(), elements: elements.elements)
        }

        /// One element after the other; for one thread at a time.
        public struct Iterator: IteratorProtocol {
            var pages: Pages<Page>.Blocking.Iterator
            let elements: @Sendable (Page) -> Elements
            private var current: Elements.Iterator?

            init(pages: Pages<Page>.Blocking.Iterator, elements: @escaping @Sendable (Page) -> Elements) {
                (self.pages, self.elements) = (pages, elements)
            }

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
    /// The pages of a list that begins with `draft`, each accepted with a 2xx status and decoded as JSON.
    ///
    /// - Parameters:
    ///   - draft: The request for the first page.
    ///   - type: The type of a decoded page.
    ///   - next: How the next page is found; by the Link field by default.
    ///   - limit: How many pages there may be; one more is an error. 1,000.
    ///   - origins: Where pages may be beside the origin of the first request. What that carries goes there, too.
    ///   - decoder: Decodes each page.
    public func pages<Page: Decodable & Sendable>(
        of draft: MutableRequest, as type: Page.Type = Page.self, next: NextPage<Page> = .link, limit: Int = 1000,
        allowing origins: Set<Origin> = [], decoder: JSONDecoder = JSONDecoder()
    ) -> Pages<Page> {
        Pages(client: self, first: draft, next: next, limit: limit, origins: origins) { response throws(HTTPError) in
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

    /// The pages of the list that begins with `endpoint`; see `HTTPClient.pages(of:)`.
    public func pages<Page: Decodable & Sendable>(
        of endpoint: some ServiceEndpoint<Generator>, as type: Page.Type = Page.self, next: NextPage<Page> = .link,
        limit: Int = 1000, allowing origins: Set<Origin> = []
    ) -> Pages<Page> {
        pages(of: Endpoint(endpoint, as: type), next: next, limit: limit, allowing: origins)
    }
}
