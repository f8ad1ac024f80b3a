import HTTPSupport
import HTTPTesting
import Testing

import HTTPCore

/// A storage that a program brings itself.
private final class Notebook: CookieStorage {
    let field: String?
    let notes = Locked<[String]>([])

    init(_ field: String?) { self.field = field }

    func cookieField(for url: HTTPURL) -> String? {
        notes.withLock { $0.append("asked for \(url.path)") }
        return field
    }

    func store(_ fields: [String], from url: HTTPURL) -> Bool {
        notes.withLock { $0.append("\(url.path) sets \(fields)") }
        return false
    }
}

@Suite struct CookieStorageTests {
    private static func answers() -> StubClient {
        StubClient()
            .on(.get, "/a", answer: .status(302).header("Location", "/b").header("Set-Cookie", "x=1"))
            .on(.get, "/b", answer: .status(200).header("Set-Cookie", "y=2").header("Set-Cookie", "z=3"))
    }

    @Test func `a storage of one's own is asked for each exchange, and gets the fields of each response`() throws {
        let (stub, notebook) = (Self.answers(), Notebook("sid=7; theme=dark"))
        let response = try stub.send(
            .get("http://h.test/a") |> .header("Cookie", "theme=light") |> .cookies(notebook))
        #expect(response.status == .ok && response.request.cookies === notebook)
        #expect(
            notebook.notes.withLock(\.self) == [
                "asked for /a", "/a sets [\"x=1\"]", "asked for /b", "/b sets [\"y=2\", \"z=3\"]",
            ])
        // The caller's own come first.
        #expect(stub.requests.map { $0.headers["Cookie"] } == Array(repeating: "theme=light; sid=7", count: 2))
    }

    @Test func `a TRACE is sent without cookies`() throws {
        let (stub, notebook) = (StubClient().on("**", answer: .ok), Notebook("sid=7"))
        try stub.send(.request(.trace, "http://h.test/a") |> .cookies(notebook))
        #expect(stub.requests.map { $0.headers["Cookie"] } == [nil])
    }

    @Test(arguments: [
        ("a=1\r\nX-Evil: 1", nil), ("a=1\u{0}", nil), ("", nil), (" ; ;", nil), ("a=1; b=2\n; c=3", "a=1; c=3"),
    ])
    func `what may not stand in a field is not sent`(field: String, sent: String?) throws {
        let stub = Self.answers()
        try stub.send(.get("http://h.test/b") |> .cookies(Notebook(field)))
        let request = try #require(stub.requests.first)
        #expect(request.headers["Cookie"] == sent && request.headers["X-Evil"] == nil)
    }
}
