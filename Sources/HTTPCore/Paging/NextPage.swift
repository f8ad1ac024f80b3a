/// How to find the next page.
///
///     .link                                              by the response's Link field (RFC 8288), as with GitHub
///     .cursor("cursor") { page in page.nextCursor }      by a cursor in the page
///     .number("page", from: 1) { page in page.isEmpty }  by counting
public struct NextPage<Page>: Sendable {
    typealias Rule = @Sendable (_ page: Page, _ place: PagePlace) throws(HTTPError) -> MutableRequest?

    let rule: Rule
    /// The step of the first request.
    let first: RequestStep

    init(first: RequestStep = .none, _ rule: @escaping Rule) {
        self.first = first
        self.rule = rule
    }

    /// A custom rule: returns the request for the next page, or nil after the last one.
    ///
    /// - Parameter rule: Receives the page, its response, and its request.
    public init(
        _ rule:
            @escaping @Sendable (_ page: Page, _ response: Response, _ draft: MutableRequest) throws(HTTPError) ->
            MutableRequest?
    ) {
        self.init { (page, place) throws(HTTPError) in try rule(page, place.response, place.draft) }
    }

    /// Follows the link `next` of the response, including its query. Everything else is as in the first request.
    public static var link: NextPage {
        NextPage { _, place in
            place.response.link("next").map { target in
                var draft = place.draft
                draft.url = target.string
                draft.baseURL = nil
                draft.query = []
                return draft
            }
        }
    }

    /// Repeats the first request with the query item `name` set to the cursor of the page. A nil or empty cursor ends
    /// the list.
    public static func cursor(_ name: String, _ cursor: @escaping @Sendable (Page) -> String?) -> NextPage {
        NextPage { page, place in
            guard let next = cursor(page), !next.isEmpty else { return nil }
            return place.draft |> .removingQuery(name) |> .query(name, next)
        }
    }

    /// Repeats the first request with the query item `name` counted up from `start`, until `isBehindLast` is true for a
    /// page.
    public static func number(
        _ name: String, from start: Int = 1, until isBehindLast: @escaping @Sendable (Page) -> Bool
    ) -> NextPage {
        let step: @Sendable (Int) -> RequestStep = { .removingQuery(name) |> .query(name, $0) }
        return NextPage(first: step(start)) { page, place in
            guard !isBehindLast(page) else { return nil }
            return place.draft |> step(start + place.index + 1)
        }
    }
}

/// The position of a page in its list.
struct PagePlace {
    /// Counted from 0.
    let index: Int
    let response: Response
    /// The request of the page.
    let draft: MutableRequest
}
