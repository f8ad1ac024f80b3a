import HTTPCore
import Testing

/// The effect of steps on a draft, alone and joined.
@Suite struct RequestStepTests {
    private let start = MutableRequest.post("https://h/p")

    @Test func `header replaces, addingHeader adds, removingHeader removes`() {
        #expect((start |> .header("A", "1") |> .header("a", "2")).headers == ["a": "2"])
        #expect((start |> .header("A", "1") |> .addingHeader("a", "2")).headers == ["A": "1", "a": "2"])
        #expect((start |> .header("A", "1") |> .header("B", "2") |> .removingHeader("a")).headers == ["B": "2"])
    }

    @Test func `headers replaces earlier values and keeps its own repetitions`() {
        let draft = start |> .header("A", "0") |> .header("Keep", "k") |> .headers(["A": "1", "B": "2", "a": "3"])
        #expect(draft.headers.map { "\($0.name)=\($0.value)" } == ["Keep=k", "A=1", "B=2", "a=3"])
    }

    @Test func `the named headers`() {
        #expect((start |> .accept("text/html")).headers == ["Accept": "text/html"])
        #expect((start |> .userAgent("app/1")).headers == ["User-Agent": "app/1"])
        #expect((start |> .contentType("a/b")).headers == ["Content-Type": "a/b"])
        #expect((start |> .bearer("t")).headers == ["Authorization": "Bearer t"])
        #expect(
            (start |> .basic(user: "Aladdin", password: "open sesame")).headers == [
                "Authorization": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
            ])
        #expect(
            (start |> .basic(user: "test", password: "123£")).headers == ["Authorization": "Basic dGVzdDoxMjPCow=="])
        #expect((start |> .bearer("t") |> .basic(user: "u", password: "p")).headers.count == 1)
    }

    @Test func `query items are encoded and follow the URL's own in order`() throws {
        let draft = MutableRequest.get("https://h/p?x=%41+b") |> .query("a b", "1&2=3+4") |> .query("é", "😀")
        #expect(try Request(draft).url.query == "x=%41+b&a%20b=1%262%3D3%2B4&%C3%A9=%F0%9F%98%80")
    }

    @Test(arguments: [
        ("https://h", "https://h/?a=1"), ("https://h/?", "https://h/?a=1"), ("https://h/#f", "https://h/?a=1"),
        ("https://h/s?q=why?", "https://h/s?q=why?&a=1"), ("https://h/s??", "https://h/s??&a=1"),
        ("https://H/s?q=why?", "https://h/s?q=why?&a=1"), ("https://h/s?x", "https://h/s?x&a=1"),
    ])
    func `the first query item gets its question mark`(url: String, expected: String) throws {
        #expect(try Request(.get(url) |> .query("a", 1)).url.string == expected)
    }

    @Test func `numbers and Booleans are plain, nil adds nothing, an empty value is sent`() throws {
        let none: Int? = nil
        let noText: String? = nil
        let draft =
            MutableRequest.get("https://h/") |> .query("i", -1) |> .query("d", 0.5) |> .query("b", true)
            |> .query("n", none) |> .query("t", noText) |> .query("e", "")
        #expect(try Request(draft).url.query == "i=-1&d=0.5&b=true&e=")
        #expect(try Request(.get("https://h/") |> .query("n", none)).url.query == nil)
    }

    @Test func `a repeated query name is sent repeatedly and removed as a whole, but not from the URL itself`() throws {
        let draft = MutableRequest.get("https://h/?a=0") |> .query("a", 1) |> .query("b", 2) |> .query("a", 3)
        #expect(try Request(draft).url.query == "a=0&a=1&b=2&a=3")
        #expect(try Request(draft |> .removingQuery("a")).url.query == "a=0&b=2")
        #expect(try Request(draft |> .removingQuery("A")).url.query == "a=0&a=1&b=2&a=3")
        let accents = MutableRequest.get("https://h/") |> .query("\u{e9}", 1) |> .query("e\u{301}", 2)
        #expect(try Request(accents |> .removingQuery("\u{e9}")).url.query == "e%CC%81=2")
    }

    @Test func `options are those of the last step`() {
        let draft =
            start |> .timeout(.seconds(1)) |> .timeout(nil) |> .connectTimeout(.seconds(2)) |> .idleTimeout(.seconds(3))
            |> .bodyLimit(4) |> .headerLimit(5) |> .redirects(.never) |> .version(.http1)
        #expect(draft.timeouts == Timeouts(connect: .seconds(2), idle: .seconds(3), total: nil))
        #expect(draft.limits == Limits(headerBytes: 5, bodyBytes: 4))
        #expect(draft.redirects.limit == 0)
        #expect(draft.version == .http1)
    }

    @Test func `joined steps run in order and can be used again`() {
        let both: RequestStep = .header("A", "1") |> .addingHeader("A", "2")
        #expect((start |> both).headers.values(for: "A") == ["1", "2"])
        #expect((start |> both |> both).headers.values(for: "A") == ["1", "2"])
        #expect((start |> (both |> .addingHeader("A", "3"))).headers.values(for: "A") == ["1", "2", "3"])
        #expect(start.headers.isEmpty, "a draft is a value")
        #expect((start |> .none).headers.isEmpty)
    }

    @Test func `when applies its step only if the condition holds, and otherwise does not make it`() {
        func step(_ value: String) -> RequestStep { .header("A", value) }
        #expect((start |> .when(true, step("1"))).headers == ["A": "1"])
        #expect((start |> .when(false, { fatalError("made") }())).headers.isEmpty)
    }

    @Test(arguments: [
        RequestStep.bearer("hidden"), .query("token", "hidden"), .basic(user: "hidden", password: "hidden"),
        .text("hidden"),
    ])
    func `a printed step does not show its contents`(step: RequestStep) {
        var dumped = ""
        dump(step, to: &dumped)
        #expect(!"\(step) \(String(reflecting: step)) \(dumped)".contains("hidden"))
    }

    @Test func `withoutDefaults drops everything except method and URL`() {
        let draft =
            MutableRequest(.put, "p", baseURL: "https://h/v1") |> .header("A", "1") |> .query("q", 1) |> .text("body")
            |> .timeout(.seconds(1)) |> .bodyLimit(1) |> .redirects(.never) |> .version(.http1) |> .withoutDefaults
        #expect(draft.method == .put && draft.url == "p" && draft.baseURL == "https://h/v1")
        #expect(draft.headers.isEmpty && draft.query.isEmpty && draft.body.isEmpty)
        #expect(draft.timeouts == Timeouts() && draft.limits == Limits() && draft.redirects == RedirectPolicy())
        #expect(draft.version == .automatic)
    }

    @Test func `withoutDefaults keeps a URL as a server spelled it`() throws {
        let given = try Request(.get("http://a/")).url.resolving("/100%", spelling: .fromServer)
        let request = Request(try Request(.get("http://a/")), method: .get, url: given, headers: [:], body: .empty)
        #expect(try Request(MutableRequest(request) |> .withoutDefaults).url == given)
    }

    @Test func `the first failure is kept and later steps do not run`() throws {
        struct Failing {
            static func step(_ reason: String) -> RequestStep {
                RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
                    throw .invalidRequest(InvalidRequest(draft, reason))
                }
            }
        }
        let unreachable = RequestStep { _ in Issue.record("a step ran behind a failed one") }
        for draft in [
            start |> Failing.step("first") |> unreachable |> Failing.step("second") |> .withoutDefaults,
            start |> (Failing.step("first") |> unreachable),
        ] {
            let error = try #require(throws: HTTPError.self) { _ = try Request(draft) }
            #expect("\(error)" == "POST https://h/p was not sent: first")
            #expect(draft.failure != nil)
        }
    }

    @Test(arguments: [true, false]) func `thousands of steps may be joined`(fromTheEnd: Bool) throws {
        let all = (0..<5_000).reduce(RequestStep.none) { steps, number in
            fromTheEnd ? (.query("a", 4_999 - number) |> steps) : (steps |> .query("a", number))
        }
        let items = (start |> all).query
        #expect(items.map(\.value) == (0..<5_000).map { "\($0)" })
    }

    @Test func `a pipe may end in a request`() throws {
        let request = try MutableRequest.get("https://h/") |> .header("A", "1") |> Request.init
        #expect(request.headers == ["A": "1"])
    }
}
