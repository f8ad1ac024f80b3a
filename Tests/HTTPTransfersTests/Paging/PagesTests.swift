import TestSupport
import HTTPEngine
import HTTPTransfers
import Foundation
import HTTPTesting
import Testing

import HTTPCore

/// Paged lists.
@Suite struct PagesTests {
    private struct Page: Codable, Sendable {
        var items: [Int]
        var next: String?
    }

    private static let base = "https://api.example"

    /// Three pages, each with a link to the next one.
    private let linked = StubClient(strict: true, base: base)
        .on(
            .get, "/list", .noQuery("page"),
            answer: .json(text: "[1, 2]").header("Link", #"</list?page=2>; rel="next""#)
        )
        .on(
            .get, "/list?page=2",
            answer: .json(text: "[3]").header("Link", #"<list?page=3>; rel="prev next"; title="a, b""#)
        )
        .on(.get, "/list?page=3", answer: .json(text: "[]").header("Link", "</list>; rel=first"))

    private func numbers(_ pages: Pages<[Int]>) throws -> [[Int]] { try pages.blocking.map { try $0.get() } }

    @Test func `links lead from page to page, with everything of the first request but its query`() throws {
        let draft = MutableRequest.get(Self.base + "/list") |> .query("size", 2) |> .bearer("t")
        #expect(try numbers(linked.pages(of: draft)) == [[1, 2], [3], []])
        #expect(linked.requests.map(\.url.query) == ["size=2", "page=2", "page=3"])
        #expect(linked.requests.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
        #expect(
            try linked.pages(of: draft, as: [Int].self).elements(\.self).blocking.map { try $0.get() } == [1, 2, 3])
    }

    @Test func `links lead on with the credentials of the URL`() throws {
        let draft = MutableRequest.get("https://ann:pw@api.example/list")
        #expect(try numbers(linked.pages(of: draft)) == [[1, 2], [3], []])
        let sent = linked.requests.map { $0.headers.values(for: "Authorization") }
        #expect(sent == [["Basic YW5uOnB3"], ["Basic YW5uOnB3"], ["Basic YW5uOnB3"]])
    }

    @Test func `nothing is sent before it is requested, nor after a loop is left`() throws {
        let pages = linked.pages(of: .get(Self.base + "/list"), as: [Int].self)
        #expect(linked.requests.isEmpty)
        for page in pages.blocking where try page.get() == [1, 2] { break }
        #expect(linked.requestCount == 1)
        for element in pages.elements(\.self).blocking where try element.get() == 2 { break }
        #expect(linked.requestCount == 2)
    }

    @Test func `a cursor comes from the page, and the rest of the query stays`() throws {
        let stub = StubClient(strict: true, base: Self.base).on(.get, "/list") { call in
            let number = Int(call.query("cursor") ?? "0") ?? 0
            return .json(Page(items: [number], next: number < 2 ? "\(number + 1)" : ""))
        }
        let pages = stub.pages(
            of: .get(Self.base + "/list") |> .query("size", 1), as: Page.self, next: .cursor("cursor", \.next))
        #expect(try pages.elements(\.items).blocking.map { try $0.get() } == [0, 1, 2])
        #expect(stub.requests.map(\.url.query) == ["size=1", "size=1&cursor=1", "size=1&cursor=2"])
    }

    @Test func `pages are counted until one is empty`() throws {
        let stub = StubClient(strict: true, base: Self.base).on(.get, "/list") { call in
            call.query("page") == "4" ? .json(text: "[]") : .json(text: "[7]")
        }
        let pages = stub.pages(
            of: .get(Self.base + "/list"), as: [Int].self, next: .number("page", from: 2, until: \.isEmpty))
        #expect(try numbers(pages) == [[7], [7], []])
        #expect(stub.requests.map(\.url.query) == ["page=2", "page=3", "page=4"])
    }

    @Test(arguments: [
        ("?page=7", "page=1"), ("?size=1&page=7", "size=1&page=1"), ("?p%61ge=7&x=page&page", "x=page&page=1"),
        ("?pages=7&page=", "pages=7&page=1"), ("?a=?page=7#page=7", "a=?page=7&page=1"), ("?", "page=1"),
    ])
    func `a number or a cursor in the URL is replaced, too`(query: String, first: String) throws {
        let stub = StubClient(strict: true, base: Self.base).on(.get, "/list", answer: .json(text: "[]"))
        let pages = stub.pages(
            of: .get(Self.base + "/list" + query), as: [Int].self, next: .number("page", until: \.isEmpty))
        #expect(try numbers(pages) == [[]])
        let cursors = stub.pages(
            of: .get(Self.base + "/list" + query), as: [Int].self, next: .cursor("page") { _ in "1" }, limit: 2)
        _ = cursors.blocking.map { $0 }
        #expect(stub.requests.map(\.url.query) == [Substring(first), stub.requests[1].url.query, Substring(first)])
    }

    @Test func `a number or a cursor takes the place of a parameter in the body`() throws {
        let stub = StubClient(strict: true, base: Self.base).on(.post, "/list", answer: .json(text: "[7]"))
        let first = MutableRequest.post(Self.base + "/list") |> .parameter("c", "a") |> .parameter("page", 9)
        let cursors = NextPage<[Int]>.cursor("c") { _ in "b" }
        _ = Array(stub.pages(of: first, as: [Int].self, next: cursors, limit: 2).blocking)
        let numbers = NextPage<[Int]>.number("page") { _ in false }
        let form = first |> .parameterEncoding(.form)
        _ = Array(stub.pages(of: form, as: [Int].self, next: numbers, limit: 2).blocking)
        _ = Array(stub.pages(of: form |> .removingParameter("page"), as: [Int].self, next: numbers, limit: 1).blocking)
        #expect(
            stub.requests.map(\.text) == [
                #"{"c":"a","page":9}"#, #"{"c":"b","page":9}"#, "c=a&page=1", "c=a&page=2", "c=a",
            ])
        #expect(stub.requests.map(\.url.query) == [nil, nil, nil, nil, "page=1"])
    }

    @Test func `the last number ends the list`() throws {
        let stub = StubClient(strict: true, base: Self.base).on(.get, "/list", answer: .json(text: "[7]"))
        let pages = stub.pages(
            of: .get(Self.base + "/list"), as: [Int].self, next: .number("page", from: .max) { _ in false })
        #expect(try numbers(pages) == [[7]])
    }

    @Test func `a custom rule may send anything`() throws {
        let stub = StubClient(strict: true, base: Self.base).on(.post, "/search") { call in
            .json(Page(items: [call.body.count], next: call.body.count < 3 ? call.text + "x" : nil))
        }
        let next = NextPage<Page> { page, _, draft in page.next.map { draft |> .text($0) } }
        let pages = stub.pages(of: .post(Self.base + "/search") |> .text("x"), as: Page.self, next: next)
        #expect(try pages.elements(\.items).blocking.map { try $0.get() } == [1, 2, 3])
    }

    @Test(arguments: [
        ("</list>", "the list has no end"), ("<//evil.example/list>", "another origin than https://api.example"),
        ("<http://api.example/list>", "another origin"), ("<https://api.example:8443/x>", "another origin"),
    ])
    func `a next page in a cycle or at another origin ends the list, and nothing is sent`(link: String, words: String)
        throws
    {
        let stub = StubClient(strict: true).on("**", answer: .json(text: "[1]").header("Link", link + "; rel=next"))
        let results = Array(stub.pages(of: .get(Self.base + "/list") |> .bearer("t"), as: [Int].self).blocking)
        #expect(results.count == 2 && stub.requestCount == 1)
        guard case .failure(.invalidRequest(let invalid))? = results.last else { return #expect(Bool(false)) }
        #expect(invalid.reason.contains(words), "\(invalid.reason)")
    }

    @Test func `another origin may be allowed by name`() throws {
        let stub = StubClient(strict: true)
            .on(
                .get, Self.base + "/list",
                answer: .json(text: "[1]").header("Link", "<https://b.example/list>; rel=next")
            )
            .on(.get, "https://b.example/list", answer: .json(text: "[2]"))
        let pages = stub.pages(
            of: .get(Self.base + "/list"), as: [Int].self, allowing: [Origin(scheme: .https, host: "b.example")])
        #expect(try numbers(pages) == [[1], [2]])
    }

    private static let foreign = Origin(scheme: .https, host: "evil.example")

    /// An API whose list a redirect leads to another server, which answers with a page that leads back.
    private func misled() -> StubClient {
        let page = Page(items: [1], next: Self.base + "/admin?x=1")
        return StubClient(strict: true)
            .on(.get, Self.base + "/list", answer: .redirect(to: "https://evil.example/list"))
            .on(
                .get, "https://evil.example/list",
                answer: .json(page).header("Link", "<\(Self.base)/admin?x=1>; rel=next")
            )
            .on(.get, Self.base + "/admin", answer: .json(Page(items: [2])))
    }

    private static let rules: [NextPage<Page>] = [
        .link, .url(\.next),
        NextPage { page, _, draft in
            var draft = draft
            draft.url = page.next ?? ""
            return page.next == nil ? nil : draft
        },
    ]

    @Test(arguments: rules.indices)
    func `a page to which a redirect to another origin led does not choose what is sent with credentials`(rule: Int)
        throws
    {
        let (stub, next) = (misled(), Self.rules[rule])
        let first = MutableRequest.get(Self.base + "/list") |> .bearer("t")
        let results = Array(stub.pages(of: first, as: Page.self, next: next).blocking)
        #expect(try results.first?.get().items == [1] && results.count == 2)
        guard case .failure(.invalidRequest(let invalid))? = results.last else { return #expect(Bool(false)) }
        #expect(invalid.reason.contains("came from another origin, https://evil.example"), "\(invalid.reason)")
        #expect(stub.requests.map(\.url.string) == [Self.base + "/list", "https://evil.example/list"])
        #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer t", nil])
        let allowed = stub.pages(of: first, as: Page.self, next: next, allowing: [Self.foreign])
        #expect(try allowed.elements(\.items).blocking.map { try $0.get() } == [1, 2])
        #expect(stub.requests.last?.url.string == Self.base + "/admin?x=1")
    }

    @Test func `pages that are counted may come from another origin, which chooses no URL`() throws {
        let stub = StubClient(strict: true)
            .on(.get, Self.base + "/list") { call in .redirect(to: "https://cdn.example/" + (call.query("page") ?? ""))
            }
            .on(.get, "https://cdn.example/1", answer: .json(text: "[1]"))
            .on(.get, "https://cdn.example/2", answer: .json(text: "[]"))
        let pages = stub.pages(
            of: .get(Self.base + "/list"), as: [Int].self, next: .number("page", until: \.isEmpty))
        #expect(try numbers(pages) == [[1], []])
        let counting = NextPage<[Int]> { page, _, draft in
            guard !page.isEmpty else { return nil }
            return draft |> .removingQuery("page") |> .query("page", 2)
        }
        let counted = stub.pages(of: .get(Self.base + "/list") |> .query("page", 1), as: [Int].self, next: counting)
        #expect(try numbers(counted) == [[1], []])
    }

    @Test func `there are no more pages than the limit`() throws {
        let stub = StubClient(strict: true, base: Self.base).on(.get, "/list", answer: .json(text: "[7]"))
        let pages = stub.pages(
            of: .get(Self.base + "/list"), as: [Int].self, next: .number("page") { _ in false }, limit: 3)
        let results = Array(pages.blocking)
        #expect(results.count == 4 && stub.requestCount == 3)
        guard case .failure(.invalidRequest(let invalid))? = results.last else { return #expect(Bool(false)) }
        #expect(invalid.reason.contains("page 4 is one more than allowed"))
    }

    @Test func `a refusal and a page of another shape are the last element`() {
        for answer in [StubAnswer.status(.forbidden), .json(text: "{}")] {
            let stub = StubClient(strict: true).on(
                "**", answer: .json(text: "[1]").header("Link", "</2>; rel=next").then(answer))
            var iterator = stub.pages(of: .get(Self.base + "/list"), as: [Int].self).blocking.makeIterator()
            #expect((try? iterator.next()?.get()) == [1])
            #expect(throws: HTTPError.self) { try iterator.next()?.get() }
            guard case nil = iterator.next() else { return #expect(Bool(false)) }
        }
    }

    @Test(arguments: [
        ("</list?q=a b&page=2>", "/list?q=a%20b&page=2"), ("< /list?page=2 >", "/list?page=2"),
        ("</list?q=100%&page=2>", "/list?q=100%&page=2"), ("</list?q=%zz>", "/list?q=%zz"),
        (#"</a\b?page=2>"#, "/a%5Cb?page=2"), ("</list?q={x}|^`&page=2>", "/list?q=%7Bx%7D%7C%5E%60&page=2"),
        ("</caf\u{E9}?page=2>", "/caf%C3%A9?page=2"), ("<https://api.example/a b>", "/a%20b"),
    ])
    func `the target of a next link is read like a Location`(link: String, target: String) throws {
        let stub = StubClient(strict: true).on("**") { call in
            call.request.url.target == "/list"
                ? .json(text: "[1]").header("Link", link + "; rel=\"next\"") : .json(text: "[2]")
        }
        #expect(try numbers(stub.pages(of: .get(Self.base + "/list"))) == [[1], [2]])
        #expect(stub.requests.last?.url.target == target)
        // A step of an interceptor does not change what the target is.
        let stepped = stub.intercepted(by: .applying(.header("X-Step", "1")))
        #expect(try numbers(stepped.pages(of: .get(Self.base + "/list"))) == [[1], [2]])
        #expect(stub.requests.last?.url.target == target && stub.requests.last?.headers["X-Step"] == "1")
        // The same as of a redirect.
        let location = String(ASCII.trimmed(link.dropFirst().dropLast()))
        let head = try ResponseHead(status: .found, headers: ["Location": location])
        guard
            case .follow(let next, _) = RedirectDecision(
                head, answering: try Request(.get(Self.base + "/list")), after: [])
        else { return #expect(Bool(false)) }
        #expect(next.url.target == target)
    }

    @Test(arguments: [
        ("<https://>; rel=next", "has no host"), ("<ftp://a/b>; rel=\"next\"", "only http and https"),
        (#"<https:\\api.example\x>; rel=next"#, "no \"//\""), ("</a\tb>; rel=next", "control character 0x09"),
        ("<http://[::1/>; rel=next", "closing bracket"), ("</list?page=2; rel=next", "cannot be read from"),
        ("/list?page=2; rel=\"next\"", "cannot be read from"),
        ("</1>; rel=first, /2; rel=Next", "from \"/2; rel=Next\""),
        ("</list?access_token=abc; rel=next", "access_token=<redacted>"),
    ])
    func `a next link that is no URL is an error after its page, and nothing is sent`(link: String, words: String)
        throws
    {
        let stub = StubClient(strict: true).on("**", answer: .json(text: "[1]").header("Link", link))
        let results = Array(stub.pages(of: .get(Self.base + "/list"), as: [Int].self).blocking)
        #expect(results.count == 2 && stub.requestCount == 1)
        #expect(try results.first?.get() == [1])
        guard case .failure(.protocolViolation(let violation))? = results.last else { return #expect(Bool(false)) }
        #expect(violation.reason.contains(words), "\(violation.reason)")
        #expect(violation.record.authority == "api.example")
    }

    @Test func `an error quotes the start of a link, however many scalars one character has`() throws {
        let long = "e" + String(repeating: "\u{301}", count: 5_000)
        let stub = StubClient().on("**") { call -> StubAnswer in
            call.request.url.target == "/link"
                ? .json(text: "[1]").header("Link", "next " + long)
                : .json(Page(items: [1], next: "http://[::1/" + long))
        }
        let links = Array(stub.pages(of: .get(Self.base + "/link"), as: [Int].self).blocking).map { $0.map { _ in } }
        let texts = Array(stub.pages(of: .get(Self.base + "/text"), as: Page.self, next: .url(\.next)).blocking)
            .map { $0.map { _ in } }
        for end in [links.last, texts.last] {
            guard case .failure(.protocolViolation(let violation))? = end else { return #expect(Bool(false)) }
            #expect(violation.reason.utf8.count < 3_000)
        }
    }

    @Test(arguments: ["</list>; rel=prev", "", "x", "</list>; rel=next; anchor=\"/y\"", "</x>; rel=first, oops"])
    func `a list without a next link ends`(link: String) throws {
        let stub = StubClient(strict: true).on("**", answer: .json(text: "[1]").header("Link", link))
        #expect(try numbers(stub.pages(of: .get(Self.base + "/list"))) == [[1]])
    }

    @Test func `the URL of the next page may be in the body`() throws {
        let stub = StubClient(strict: true).on("**") { call -> StubAnswer in
            switch call.request.url.target {
            case "/v1/list": .json(Page(items: [1], next: "list?page=two words"))
            case "/v1/list?page=two%20words": .json(Page(items: [2], next: Self.base + "/v1/list?page=3"))
            case "/v1/list?page=3": .json(Page(items: [3], next: ""))
            default: .status(.notFound)
            }
        }
        let draft = MutableRequest.get(Self.base + "/v1/list") |> .bearer("t")
        let pages = stub.pages(of: draft, as: Page.self, next: .url(\.next))
        #expect(try pages.elements(\.items).blocking.map { try $0.get() } == [1, 2, 3])
        #expect(stub.requests.allSatisfy { $0.headers["Authorization"] == "Bearer t" })
    }

    @Test(arguments: [
        ("https://", "has no host"), ("mailto:x", "only http and https"), ("/a\u{0}", "control character 0x00"),
    ])
    func `a URL in the body that is none is an error after its page`(next: String, words: String) throws {
        let stub = StubClient(strict: true).on("**", answer: .json(Page(items: [1], next: next)))
        let results = Array(
            stub.pages(of: .get(Self.base + "/list"), as: Page.self, next: .url(\.next)).blocking)
        #expect(results.count == 2 && stub.requestCount == 1)
        #expect(try results.first?.get().items == [1])
        guard case .failure(.protocolViolation(let violation))? = results.last else { return #expect(Bool(false)) }
        #expect(violation.reason.contains(words), "\(violation.reason)")
    }

    @Test func `a next page in the body that is elsewhere is refused like any other`() throws {
        let stub = StubClient(strict: true).on("**", answer: .json(Page(items: [1], next: "https://evil.example/")))
        let results = Array(
            stub.pages(of: .get(Self.base + "/list"), as: Page.self, next: .url { URL(string: $0.next ?? "") })
                .blocking)
        #expect(results.count == 2 && stub.requestCount == 1)
        guard case .failure(.invalidRequest(let invalid))? = results.last else { return #expect(Bool(false)) }
        #expect(invalid.reason.contains("another origin"))
    }

    @Test func `a service has pages of its endpoints`() throws {
        struct Lists: RequestGenerator { let baseURL = PagesTests.base }
        let pages = linked.service(Lists()).pages(of: .get("list") as Endpoint<Lists, [Int]>)
        #expect(try numbers(pages) == [[1, 2], [3], []])
    }
}

/// Link fields (RFC 8288).
@Suite struct WebLinkTests {
    private func links(_ fields: String...) throws -> [WebLink] {
        let headers = HTTPHeaders(fields.map { HTTPHeaders.Field(name: "Link", value: $0) })
        return Response(request: try Request(.get("https://h/a/b")), status: .ok, headers: headers).links
    }

    @Test func `targets, relations and parameters are parsed`() throws {
        let all = try links(
            #"<https://h/2>; rel="next Last" ; title="a, \"b\"; c"; rel=other, <x,y;z>;REL=prev"#,
            "<>;rel=self;crossorigin")
        #expect(all.map(\.target) == ["https://h/2", "x,y;z", ""])
        #expect(all.map(\.relations) == [["next", "last"], ["prev"], ["self"]])
        #expect(all[0].parameters["title"] == #"a, "b"; c"# && all[2].parameters["crossorigin"] == "")
    }

    @Test(arguments: ["", "next", "<x", "<x> rel=next", "x>; rel=next", "<x>; rel=next y", ";rel=next", "<x>; =next"])
    func `invalid links are ignored`(field: String) throws {
        let response = Response(
            request: try Request(.get("https://h/a/b")), status: .ok, headers: ["Link": field])
        #expect(response.link("next") == nil)
    }

    @Test func `a link of one relation is resolved against the URL of the response`() throws {
        let response = Response(
            request: try Request(.get("https://h/a/b?q")), status: .ok,
            headers: ["Link": #"<c?p=2>; rel="next", <mailto:x>; rel="author", <d>; rel="up"; anchor="/x""#])
        #expect(response.link("NEXT")?.string == "https://h/a/c?p=2")
        #expect(response.link("author") == nil && response.link("up") == nil && response.link("last") == nil)
    }
}
