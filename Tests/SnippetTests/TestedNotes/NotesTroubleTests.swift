import Foundation
import HTTPTesting
import Straightline
import Testing

/// The app with failures and slow responses.
@Suite struct NotesTroubleTests {
    private static let page = StubAnswer.json(text: #"{"notes": [{"id": 1, "title": "Sea"}]}"#)

    private func screen(_ stub: StubClient) -> String { NotesScreen(notes: Notes(over: stub)).text() }

    @Test(arguments: StubFailure.all)
    func `whatever fails, the user reads something, unless they have cancelled it`(failure: StubFailure) {
        let text = screen(.failing(failure))
        #expect(text.isEmpty == (failure.description == "cancelled"))
    }

    @Test(arguments: [StubFailure.unknownHost, .connection(.refused), .connection(.unreachable), .connection(.broken)])
    func `without a network the user reads that they are offline`(failure: StubFailure) {
        #expect(screen(.failing(failure)) == "You seem to be offline")
    }

    @Test(
        arguments: [
            (.status(401), "Please log in"),
            (.json(text: #"{"message": "closed on Sundays"}"#, status: 403), "closed on Sundays"),
            (.text("<html>", status: 500), "The service has a problem"), (.text("<html>"), "Something went wrong"),
            (page.truncated(after: 9), "Something went wrong"),
            (.redirect(to: "/v1/notes?page=1"), "Something went wrong"),
        ] as [(StubAnswer, String)])
    func `a useless response is reported in the user's words`(answer: StubAnswer, text: String) {
        #expect(screen(StubClient().on(.get, "/v1/notes", answer: answer)) == text)
    }

    @Test func `a busy server is retried when it says so, and no test waits for it`() {
        let busy = StubAnswer.status(503).header("Retry-After", "8")
        let stub = StubClient(strict: true).on(.get, "/v1/notes", answer: busy.then(Self.page))
        #expect(screen(stub) == "Sea")
        #expect(stub.time.waits == [.seconds(8)])
    }

    @Test func `a slow server is given twenty seconds in all`() {
        let stub = StubClient(strict: true).on(.get, "/v1/notes", answer: Self.page.taking(.seconds(19)).then(.pending))
        #expect(screen(stub) == "Sea")
        let slow = StubClient(strict: true).on(.get, "/v1/notes", answer: Self.page.taking(.seconds(21)))
        #expect(screen(slow) == "That takes too long. Try again later")
        #expect(slow.time.elapsed == .seconds(20))
    }

    @Test func `more than ten calls per second are delayed`() throws {
        let stub = StubClient(strict: true).on(.get, "/v1/notes", answer: Self.page)
        let notes = Notes(over: stub)
        for _ in 0..<12 { _ = try notes.all() }
        #expect(stub.time.waits == [.milliseconds(100), .milliseconds(100)])
    }

    @Test func `leaving the screen ends the call that it waited for`() async throws {
        let stub = StubClient(strict: true).on(.get, "/v1/notes", answer: .pending)
        let notes = Notes(over: stub)
        let task = Task { try await Dispatcher.shared.run { Result { () throws(HTTPError) in try notes.all() } } }
        try await stub.wait(for: .requests(1))
        task.cancel()
        let error = try await #require(throws: HTTPError.self) { try await task.value }
        #expect(NotesScreen.message(for: error).isEmpty)
    }

    @Test func `while a response is on its way there is none yet`() async throws {
        let hold = StubGate()
        let stub = StubClient(strict: true).on(.get, "/v1/notes", answer: Self.page.held(by: hold))
        let screen = NotesScreen(notes: Notes(over: stub))
        async let text = Dispatcher.shared.run { .success(screen.text()) }
        try await stub.wait(for: .requests(1))
        #expect(await suspended { hold.waiting == 1 })
        hold.release()
        #expect(try await text == "Sea")
    }
}
