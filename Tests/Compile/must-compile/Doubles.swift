import Foundation
import HTTPMockServer
import HTTPTesting
import Straightline

// A stub and a mock server have the same vocabulary: each line occurs twice and differs only in the first word.

struct Note: Codable, Sendable { let id: Int }

func stub(_ note: Note) -> StubClient {
    StubClient()
        .on(.get, "/notes/{id}", answer: .json(note))
        .on(.get, "/notes", answer: .json(text: #"[{"id": 1}]"#, status: .ok).header("X-Total", "1"))
        .on(.get, "/image", answer: .data(Data([1, 2]), contentType: "image/png"))
        .on(.get, "/bytes", answer: .data([1, 2]))
        .on(.get, "/text", answer: .text("hello", status: .accepted).taking(.seconds(1), in: .receiving))
        .on(.delete, "/notes/**", answer: .status(.noContent, headers: ["X-Was": "1"]))
        .on(.get, "/old", answer: .redirect(to: "/new", status: .movedPermanently))
        .on(.post, "/echo") { request in .text(request.text) }
}

func serve(_ note: Note) throws -> MockServer {
    try MockServer()
        .on(.get, "/notes/{id}", answer: .json(note))
        .on(.get, "/notes", answer: .json(text: #"[{"id": 1}]"#, status: .ok).header("X-Total", "1"))
        .on(.get, "/image", answer: .data(Data([1, 2]), contentType: "image/png"))
        .on(.get, "/bytes", answer: .data([1, 2]))
        .on(.get, "/text", answer: .text("hello", status: .accepted).taking(.seconds(1), in: .receiving))
        .on(.delete, "/notes/**", answer: .status(.noContent, headers: ["X-Was": "1"]))
        .on(.get, "/old", answer: .redirect(to: "/new", status: .movedPermanently))
        .on(.post, "/echo") { request in .text(request.text) }
}
