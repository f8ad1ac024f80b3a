/// How the next page is found.
///
///     .link                                              by the response's Link field (RFC 8288), as GitHub's
///     .cursor("cursor") { page in page.nextCursor }      by what a page says is next
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

    /// A rule of your own: the request for the next page, nil after the last one.
    ///
    /// - Parameter rule: Gets the page, its response, and the request it answered.
    public init(
        _ rule:
            @escaping @Sendable (_ page: Page, _ response: Response, _ draft: MutableRequest) throws(HTTPError) ->
            MutableRequest?
    ) {
        self.init { (page, place) throws(HTTPError) in try rule(page, place.response, place.draft) }
    }

    /// Where the link `next` of the response leads. Its query is the link's own; the rest is as in the first request.
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

    /// The first request with the query item `name` set to what the page says is next; nil, and an empty text, behind the
    /// last one.
    public static func cursor(_ name: String, _ cursor: @escaping @Sendable (Page) -> String?) -> NextPage {
        NextPage { page, place in
            guard let next = cursor(page), !next.isEmpty else { return nil }
            return place.draft |> .removingQuery(name) |> .query(name, next)
        }
    }

    /// The first request with the query item `name` counted up from `start`, until `isBehindLast` holds for a page.
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

/// Where among its pages one is.
struct PagePlace {
    /// Counted from 0.
    let index: Int
    let response: Response
    /// The request it answered.
    let draft: MutableRequest
}
