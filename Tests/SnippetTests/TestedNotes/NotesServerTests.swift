import Foundation
import HTTPMockServer
import HTTPTesting
import Straightline
import Testing

/// The app over its real transport, with a server on this machine.
@Suite struct NotesServerTests {
    private func notes(_ server: MockServer) -> Notes {
        Notes(over: CurlTransport(), at: NotesService(baseURL: server.url("/v1"), tokens: BearerTokens("t-1815")))
    }

    @Test func `notes are listed, added and exported`() throws {
        let server = try NotesServer.start()
        let notes = notes(server)
        #expect(try notes.all().map(\.title) == ["Buy bread", "Call Mary"])
        #expect(try notes.add("Sea") == Note(id: 3, title: "Sea"))
        #expect(try notes.all().count == 3)
        #expect(server.requests.map(\.target).suffix(2) == ["/v1/notes?page=1", "/v1/notes?page=2"])
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try notes.export(to: file.path)
        #expect(try String(contentsOf: file, encoding: .utf8) == "1,Buy bread\n2,Call Mary\n3,Sea\n")
    }

    @Test func `a truncated response leaves no partial export`() throws {
        let server = try MockServer { _ in .fault(.close(.midBody(after: 10))) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).csv")
        #expect(throws: HTTPError.self) { try notes(server).export(to: file.path) }
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(try server.takeRequest().headers["Authorization"] == "Bearer t-1815")
    }

    @Test func `an unreachable server is reported as being offline`() throws {
        let url = "http://127.0.0.1:\(try MockServer.unusedPort())/v1"
        let time = SimulatedTime()
        let notes = Notes(over: time.around(CurlTransport()), at: NotesService(baseURL: url))
        #expect(NotesScreen(notes: notes).text() == "You seem to be offline")
        #expect(time.waits.count == 2)
    }

    @Test func `the tour runs to its end`() throws { try TestedNotes.main() }
}
