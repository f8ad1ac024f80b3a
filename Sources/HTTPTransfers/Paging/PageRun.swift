/// One iteration over the pages of a list: it returns each request and takes its response.
package struct PageRun<Page: Sendable>: Sendable {
    package let pages: Pages<Page>
    /// Nil after the last page.
    private var draft: MutableRequest?
    /// Why there is no next page although the last one was not the last: reported after it.
    private var failure: HTTPError?
    private var count = 0
    private var visited: Set<String> = []
    private var origin: Origin?

    package init(_ pages: Pages<Page>) {
        self.pages = pages
        draft = pages.first |> pages.next.first
    }

    /// The next page's request; nil after the last page.
    package mutating func nextRequest() throws(HTTPError) -> Request? {
        if let failure { throw failure }
        guard let draft else { return nil }
        let request = try Request(draft)
        if let problem = problem(with: request) { throw .invalidRequest(InvalidRequest(draft, problem)) }
        origin = origin ?? request.origin
        visited.insert(request.url.string)
        return request
    }

    /// The decoded page of `response`.
    package mutating func take(_ response: Response) throws(HTTPError) -> Page {
        guard let draft else { return try pages.read(response) }
        let page = try pages.read(response)
        do throws(HTTPError) {
            let isTrusted = isAllowed(response.url.origin)
            self.draft = try pages.next.rule(
                page, PagePlace(index: count, response: response, draft: draft, isTrusted: isTrusted))
        } catch { failure = error }
        count += 1
        return page
    }

    package mutating func end() { (draft, failure) = (nil, nil) }

    private func isAllowed(_ origin: Origin) -> Bool { origin == self.origin || pages.origins.contains(origin) }

    /// Why the request must not be sent, in words; nil if it may be.
    private func problem(with request: Request) -> String? {
        if let origin, !isAllowed(request.origin) {
            return "the page before leads to another origin than \(origin), which would get what these requests"
                + " carry, credentials too: pass it as `allowing:` if it may have them"
        }
        if request.method.isSafe, request.body.isEmpty, visited.contains(request.url.string) {
            return "the page before leads to a page that was read already: the list has no end"
        }
        guard count >= pages.limit else { return nil }
        return "page \(count + 1) is one more than allowed; `limit:` raises the number"
    }
}
