/// How to find the next page.
///
///     .link                                              by the response's Link field (RFC 8288), as with GitHub
///     .cursor("cursor") { page in page.nextCursor }      by a cursor in the page
///     .number("page", from: 1) { page in page.isEmpty }  by counting
public struct NextPage<Page>: Sendable {
    typealias Rule = @Sendable (_ page: Page, _ place: PagePlace) throws(HTTPError) -> MutableRequest?

    let rule: Rule
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
        self.init { (page, place) throws(HTTPError) in
            let draft = place.draft
            guard let next = try rule(page, place.response, draft) else { return nil }
            // One that counts chooses no URL.
            return next.url == draft.url && next.baseURL == draft.baseURL ? next : try place.checked(next)
        }
    }

    /// Follows the link `next` of the response, including its query. Everything else is as in the first request.
    ///
    /// The target is read like a Location field: a space or a backslash is percent-encoded. A target that is no URL
    /// even so is a `.protocolViolation`, and so is a Link field that names `next` but cannot be read: the list would
    /// end without a word.
    public static var link: NextPage {
        NextPage { (_, place) throws(HTTPError) in
            let links = WebLink.all(in: place.response.headers.values(for: "Link"))
            guard let link = links.links.first(where: { $0.isLink("next") }) else {
                guard let rest = links.unread.first(where: { ASCII.lowercased($0).contains("next") }) else {
                    return nil
                }
                throw place.violation("its Link field cannot be read from \(PagePlace.quoted(rest, 80)) on")
            }
            return try place.draft(of: link.target, from: "the link to the next page")
        }
    }

    /// Follows the URL of the next page that each page contains, such as `.url(\.nextURL)`. It may be relative to the
    /// URL of the page. Nil or an empty one ends the list. Everything else is as in the first request.
    ///
    /// The URL is read like a Location field: a space or a backslash is percent-encoded. What is no URL even so is a
    /// `.protocolViolation`.
    ///
    /// - Parameter url: Returns the URL of the next page, as a string or `URL`.
    public static func url<Target: URLConvertible>(_ url: @escaping @Sendable (Page) -> Target?) -> NextPage {
        NextPage { (page, place) throws(HTTPError) in
            guard let next = url(page)?.urlText, !next.isEmpty else { return nil }
            return try place.draft(of: next, from: "the URL of the next page")
        }
    }

    /// Repeats the first request with the query item `name` set to the cursor of the page, whether the request has one
    /// in its URL or by a step. Where the request sends a parameter of that name in its body, it is set there. A nil or
    /// empty cursor ends the list.
    public static func cursor(_ name: String, _ cursor: @escaping @Sendable (Page) -> String?) -> NextPage {
        NextPage { page, place in
            guard let next = cursor(page), !next.isEmpty else { return nil }
            return place.draft |> .replacing(name, next)
        }
    }

    /// Repeats the first request with the query item `name` counted up from `start`, up to the page for which `isLast` is
    /// true, or the number `Int.max`. That page is delivered, too, even if it is empty. An item of that name in the URL, or
    /// of a step, is replaced, and so is a parameter in the body.
    public static func number(
        _ name: String, from start: Int = 1, until isLast: @escaping @Sendable (Page) -> Bool
    ) -> NextPage {
        NextPage(first: .replacing(name, start)) { page, place in
            let (number, isBehindAll) = start.addingReportingOverflow(place.index + 1)
            guard !isBehindAll, !isLast(page) else { return nil }
            return place.draft |> .replacing(name, number)
        }
    }
}

extension RequestStep {
    /// The parameter in the body in place of that of the same name, otherwise the query item in place of all of that
    /// name. A server may take the first of two, and would give one page again and again.
    fileprivate static func replacing(
        _ name: String, _ value: some Encodable & LosslessStringConvertible & Sendable
    ) -> RequestStep {
        RequestStep { draft in
            switch draft.destination(ofParameter: name) {
            case .form?: draft = draft |> .parameters([name: value], encoding: .form)
            case .json?: draft = draft |> .parameters([name: value], encoding: .json)
            case .query?, nil:
                draft = draft |> .removingQuery(name) |> .removingParameter(name)
                // Only when it changes: that says anew who wrote the URL.
                if let url = withoutItem(name, inURL: draft.url) { draft.url = url }
                draft.query.append(QueryItem(name, "\(value)"))
            }
        }
    }

    /// `url` without the items of that name; nil if it has none.
    private static func withoutItem(_ name: String, inURL url: String) -> String? {
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        guard let mark = url[..<end].utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let items = Substring(url[..<end].utf8[mark...].dropFirst())
            .utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let kept = items.filter { item in
            let spelled = item.prefix { $0 != UInt8(ascii: "=") }.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
            return PercentEncoding.decoded(spelled[...]).bytes != Array(name.utf8)
        }
        guard kept.count < items.count else { return nil }
        let query = kept.map { String(Substring($0)) }.joined(separator: "&")
        return url[..<mark] + (kept.isEmpty ? "" : "?" + query) + url[end...]
    }
}

/// The position of a page in its list.
struct PagePlace {
    /// Counted from 0.
    let index: Int
    let response: Response
    let draft: MutableRequest
    /// Whether the response comes from the origin of the first request, or from one that is allowed.
    let isTrusted: Bool

    /// `next`, unless a redirect led to another origin, whose page must not choose what is sent with the credentials of
    /// the first request.
    func checked(_ next: MutableRequest) throws(HTTPError) -> MutableRequest {
        guard !isTrusted else { return next }
        throw .invalidRequest(
            InvalidRequest(
                next,
                "the page before came from another origin, \(response.url.origin), which would choose what is sent with"
                    + " credentials: pass it as `allowing:` if it may"))
    }

    /// The request for the page at `reference`, which the server gave.
    func draft(of reference: String, from name: String) throws(HTTPError) -> MutableRequest {
        var draft = draft
        // Those in the query are replaced by that of the reference, and those in the body stay.
        try draft.encodeParameters()
        do throws(URLProblem) {
            let target = try response.url.resolving(reference, spelling: .fromServer)
            // The user information of the URL, which the server does not repeat.
            let authorization = (try? Request(draft))?.headers["Authorization"]
            if let authorization, !draft.headers.contains("Authorization") {
                draft.headers.append(authorization, for: "Authorization")
            }
            draft.url = target.string
            draft.urlSpelling = .fromServer
            draft.baseURL = nil
            draft.query = []
        } catch {
            throw violation("\(name) \(Self.quoted(reference, 200)) \(error)")
        }
        return try checked(draft)
    }

    /// The start of `text`, secrets masked. By scalars: a character may have any number of them.
    static func quoted(_ text: String, _ limit: Int) -> String {
        ASCII.quoted(Redaction.urlText(String(text.unicodeScalars.prefix(limit))))
    }

    func violation(_ reason: String) -> HTTPError {
        var record = CallRecord(response.request, phase: .receiving)
        record.metrics = response.metrics
        record.redirects = response.redirects
        return .protocolViolation(ProtocolViolation(reason, record: record))
    }
}
