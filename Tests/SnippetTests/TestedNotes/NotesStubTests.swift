import Foundation
import HTTPMockServer
import HTTPTesting
import Straightline
import Testing

/// The app over a stub: the requests that it makes, and its handling of the responses.
@Suite struct NotesStubTests {
    private static let base = "https://notes.example.com/v1"

    @Test func `after the login every call carries the token`() throws {
        let stub = StubClient(strict: true, base: Self.base)
            .on(.post, "/login", .noHeader("Authorization"), .json(["user": "ada", "password": "lovelace"])) { _ in
                .json(["token": "t-1"])
            }
            .on(
                .get, "/notes?page=1", .header("Authorization", "Bearer t-1"),
                answer: .json(NotesPage(notes: [], nextPage: nil)))
        let notes = Notes(over: stub)
        try notes.logIn(user: "ada", password: "lovelace")
        #expect(NotesScreen(notes: notes).text() == "Nothing here yet")
        try stub.verify()
    }

    @Test func `all pages are read, in order`() throws {
        let stub = StubClient(strict: true, base: Self.base)
            .on(.get, "/notes") { call in
                let number = Int(call.query("page") ?? "") ?? 0
                let note = Note(id: number, title: "Note \(number)")
                return .json(NotesPage(notes: [note], nextPage: number < 3 ? number + 1 : nil))
            }
        #expect(try Notes(over: stub).all().map(\.title) == ["Note 1", "Note 2", "Note 3"])
        #expect(stub.requests(to: "/notes").map { $0.query("page") } == ["1", "2", "3"])
    }

    @Test func `a note is added once, although its first response is lost`() throws {
        let added = StubAnswer.json(Note(id: 7, title: "Sea"), status: .created)
        let stub = StubClient(strict: true, base: Self.base)
            .on(
                .post, "/notes", .json(["title": "Sea"]),
                answer: .failure(.connection(.closedBeforeResponse)).then(added))
        #expect(try Notes(over: stub).add("Sea", key: "k-1") == Note(id: 7, title: "Sea"))
        #expect(stub.requests.map { $0.headers["Idempotency-Key"] } == ["k-1", "k-1"])
        try stub.verify()
    }

    @Test func `a strict stub reports how a request differs from the expected one`() throws {
        let stub = StubClient(strict: true, base: Self.base)
            .on(.post, "/notes", .header("Authorization"), .json(["title": "Sea"]), answer: .status(.created))
        let error = try #require(throws: HTTPError.self) { try Notes(over: stub).add("Sky") }
        #expect("\(error)".contains("✗ header Authorization: it is missing"))
        #expect("\(error)".contains(#"✗ body JSON {title}: $.title is "Sky", not "Sea""#))
        #expect(throws: StubVerificationError.self) { try stub.verify() }
    }

    @Test func `an export is written to its file`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        let stub = StubClient(strict: true, base: Self.base)
            .on(.get, "/export", .header("Accept", "text/csv"), answer: .text("1,Sea\n"))
        try Notes(over: stub).export(to: file.path)
        #expect(try String(contentsOf: file, encoding: .utf8) == "1,Sea\n")
    }

    @Test func `a stub is awaited, chained and called back like any client`() async throws {
        let stub = StubClient(strict: true, base: Self.base).on(.get, "/notes/{id}") { .text("note \($0["id"])") }
        #expect(try await stub.send(.get(Self.base + "/notes/1")).text() == "note 1")
        let size = try await stub.future(for: .get(Self.base + "/notes/2")).map(\.body.count).get()
        #expect(size == 6)
        let text = await withCheckedContinuation { continuation in
            stub.executeRequest(.get(Self.base + "/notes/3"), callbackQueue: .immediate) { result in
                continuation.resume(returning: try? result.get().text())
            }
        }
        #expect(text == "note 3")
        #expect(Set(stub.requests(to: "/notes/{id}").map { $0["id"] }) == ["1", "2", "3"])
    }
}
