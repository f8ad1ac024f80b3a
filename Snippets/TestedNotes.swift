// An app whose tests need no network and no waiting: run it with `swift run TestedNotes`, and read its tests in
// Tests/SnippetTests/TestedNotes. They use HTTPTesting, and only those parts of this file that an app's own tests could
// use.
//
//     NotesService     the service, and its calls as endpoints
//     Notes            the use of the calls in the app, over any client
//     NotesScreen      the texts for the user, also for failures
//
// It talks to a small server of its own (NotesServer below) on this machine, and then to stubs.
import Foundation
import HTTPMockServer
import HTTPTesting
import Straightline
import Synchronization

// MARK: - The service

struct NotesService: RequestGenerator {
    var baseURL = "https://notes.example.com/v1"
    var tokens = BearerTokens()

    var defaults: RequestStep { .accept("application/json") |> .timeout(.seconds(20)) }
    var interceptors: [Interceptor] { [.retry(), .rateLimit(10, per: .seconds(1), burst: 10), .bearer(tokens)] }
}

extension Endpoint where Generator == NotesService {
    static func logIn(user: String, password: String) -> Self where Value == [String: String] {
        .post("login") |> .anonymous |> .json(["user": user, "password": password])
    }
    static func page(_ number: Int) -> Self where Value == NotesPage { .get("notes") |> .query("page", number) }
}

struct Note: Codable, Equatable {
    struct Draft: Codable, Equatable { let title: String }

    let id: Int
    let title: String
}

struct NotesPage: Codable {
    let notes: [Note]
    let nextPage: Int?
}

// MARK: - The app

/// The operations on notes. It is given the client: a transport in the app, a stub in a test.
struct Notes: Sendable {
    private let service: Service<NotesService>

    init(over transport: any HTTPClient, at service: NotesService = NotesService()) {
        self.service = transport.service(service)
    }

    @available(*, noasync)
    func logIn(user: String, password: String) throws(HTTPError) {
        let session = try service.call(.logIn(user: user, password: password))
        service.generator.tokens.set(session["token"])
    }

    /// All notes, page after page.
    @available(*, noasync)
    func all() throws(HTTPError) -> [Note] {
        let pages = service.pages(of: .page(1), next: .cursor("page") { $0.nextPage.map(String.init) })
        return try pages.elements(\.notes).blocking.map { note throws(HTTPError) in try note.get() }
    }

    /// The key makes the server add the note once, even if the request arrives twice.
    @available(*, noasync)
    func add(_ title: String, key: String = UUID().uuidString) throws(HTTPError) -> Note {
        try service.call(.post("notes") |> .json(Note.Draft(title: title)) |> .idempotencyKey(key))
    }

    @available(*, noasync)
    func export(to file: String) throws(HTTPError) {
        try service.call(.get("export") |> .accept("text/csv") |> .destination(.file(file)))
    }
}

/// The texts for the user.
struct NotesScreen: Sendable {
    let notes: Notes

    func text() -> String {
        do throws(HTTPError) {
            let titles = try notes.all().map(\.title)
            return titles.isEmpty ? "Nothing here yet" : titles.joined(separator: ", ")
        } catch {
            return Self.message(for: error)
        }
    }

    /// What the user can do about it.
    static func message(for error: HTTPError) -> String {
        switch error {
        case .resolution, .connection: "You seem to be offline"
        case .timedOut, .other(is Overload): "That takes too long. Try again later"
        case .cancelled: ""
        case .tls: "Somebody may be listening. Try another network"
        case .unacceptableStatus(let response) where response.status == .unauthorized: "Please log in"
        case .unacceptableStatus(let response): response.serverMessage ?? "The service has a problem"
        case .body(let failure) where failure.reason == .diskFull: "There is no room for it"
        case .body, .invalidRequest, .unsupported, .destinationRefused, .protocolViolation, .truncatedBody,
            .limitExceeded, .interceptor, .redirect, .decoding, .other:
            "Something went wrong"
        @unknown default: "Something went wrong"
        }
    }
}

// MARK: - The tour

#if !SNIPPET_TESTS
@main
#endif
enum TestedNotes {
    static func main() throws {
        let server = try NotesServer.start()
        try showApp(Notes(over: CurlTransport(), at: NotesService(baseURL: server.url("/v1"))))
        showOffline()
        showBusyServer()
        showUnexpected()
        server.stop()
    }

    static func showApp(_ notes: Notes) throws {
        print("before the log in:  \(NotesScreen(notes: notes).text())")
        try notes.logIn(user: "ada", password: "lovelace")
        print("after it:           \(NotesScreen(notes: notes).text())")
        let note = try notes.add("Pack the tent")
        print("note \(note.id) is added:    \(NotesScreen(notes: notes).text())")
    }

    /// The same screen over a client without a network.
    static func showOffline() {
        let stub = StubClient.failing(.unknownHost)
        print("without a network:  \(NotesScreen(notes: Notes(over: stub)).text())")
    }

    /// Two refusals and the waits after them, which take no real time.
    static func showBusyServer() {
        let busy = StubAnswer.status(503).header("Retry-After", "8")
        let stub = StubClient(strict: true)
            .on(
                .get, "/v1/notes?page=1",
                answer: busy.times(2).then(.json(text: #"{"notes": [{"id": 1, "title": "Sea"}]}"#)))
        let text = NotesScreen(notes: Notes(over: stub)).text()
        print("a busy server:      \(text), after \(stub.requestCount) requests and \(stub.time.elapsed)")
    }

    /// The report of a strict stub about an unexpected request.
    static func showUnexpected() {
        let stub = StubClient(strict: true).on(.post, "/v1/notes", .json(["title": "Sea"]), answer: .status(.created))
        do throws(HTTPError) { _ = try Notes(over: stub).add("Sky") } catch { print("\(error)") }
    }
}

/// The server of the tour: two notes per page, for a logged-in user.
final class NotesServer: Sendable {
    private let notes = Mutex([Note(id: 1, title: "Buy bread"), Note(id: 2, title: "Call Mary")])

    static func start() throws -> MockServer {
        let server = NotesServer()
        return try MockServer { (try? server.answer($0)) ?? .status(.internalServerError) }
    }

    private func answer(_ request: ReceivedRequest) throws -> MockResponse {
        if request.path == "/v1/login" { return .json(text: #"{"token": "t-1815"}"#) }
        guard request.headers["Authorization"] == "Bearer t-1815" else {
            return .json(text: #"{"message": "who is asking?"}"#, status: .unauthorized)
        }
        return switch (request.method, request.path) {
        case (.get, "/v1/notes"): page(Int(request.query("page") ?? "") ?? 1)
        case (.post, "/v1/notes"): add(try request.decoded())
        case (.get, "/v1/export"): .text(notes.withLock { $0.map { "\($0.id),\($0.title)\n" }.joined() })
        default: .status(.notFound)
        }
    }

    private func page(_ number: Int) -> MockResponse {
        let all = notes.withLock(\.self)
        let (start, end) = (min(2 * (number - 1), all.count), min(2 * number, all.count))
        let page = NotesPage(notes: Array(all[start..<end]), nextPage: end < all.count ? number + 1 : nil)
        return .json(page)
    }

    private func add(_ draft: Note.Draft) -> MockResponse {
        let note = notes.withLock { notes in
            let note = Note(id: notes.count + 1, title: draft.title)
            notes.append(note)
            return note
        }
        return .json(note, status: .created)
    }
}
