import Foundation
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

/// Several answers in a row.
@Suite struct StubSequenceTests {
    private static let url = "https://api.example.com/job"

    private func texts(_ answer: StubAnswer, calls: Int) throws -> [String] {
        let stub = StubClient().on(.get, "/job", answer: answer).on(.get, "/job", answer: .text("-"))
        return try (0..<calls).map { _ in try stub.get(Self.url).text() }
    }

    @Test(
        arguments: [
            (.text("a"), "a a a a a"),
            (.text("a").then(.text("b")), "a b b b b"),
            (.text("a").times(2).then(.text("b")), "a a b b b"),
            (.text("a").then(.text("b")).times(2), "a b a b -"),
            (.text("a").times(2).then(.text("b")).times(2), "a a b a a"),
            (.text("a").times(2).then(.text("b")).times(1).then(.text("c")), "a a b c c"),
            (.text("a").times(2).times(2), "a a a a -"),
            (.text("a").times(.max), "a a a a a"),
            (.text("a").then(.text("b")).times(1_000_000_000).then(.text("c")), "a b a b a"),
            (.text("a").then(.text("b").times(.max)).times(.max).then(.text("c")), "a b b b b"),
            (.sequence([.text("a").times(2), .text("b")], after: .cycle), "a a b a a"),
            (.text("a").times(1), "a - - - -"),
            (.text("a").times(0), "- - - - -"),
            (.text("a").times(-1), "- - - - -"),
            (.sequence([.text("a"), .text("b"), .text("c")]), "a b c c c"),
            (.sequence([.text("a"), .text("b")], after: .passOn), "a b - - -"),
            (.sequence([.text("a"), .text("b")], after: .cycle), "a b a b a"),
            (.sequence([], after: .cycle), "- - - - -"),
            (.text("a").then(.sequence([.text("b"), .text("c")], after: .passOn)), "a b c - -"),
        ] as [(StubAnswer, String)])
    func `answers come in the written order`(answer: StubAnswer, expected: String) throws {
        #expect(try texts(answer, calls: 5).joined(separator: " ") == expected)
    }

    @Test func `each answer is given exactly once, even to concurrent calls`() throws {
        let (threads, calls) = (8, 50)
        let numbers = (0..<threads * calls).map { StubAnswer.text("\($0)") }
        let stub = StubClient(strict: true).on(.get, "/job", answer: .sequence(numbers, after: .passOn))
        let seen = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for _ in 0..<calls {
                let text = (try? stub.get(Self.url).text()) ?? "none"
                seen.withLock { $0.append(text) }
            }
        }
        #expect(Set(seen.withLock(\.self)).count == threads * calls)
        #expect(stub.requestCount == threads * calls)
        try stub.verify()
        #expect(throws: HTTPError.self) { try stub.get(Self.url) }
    }

    @Test func `a sequence from a closure is refused: it would begin anew with each request`() throws {
        let stub = StubClient().on(.get, "/job") { _ in .status(503).then(.ok) }
        let error = try #require(throws: HTTPError.self) { try stub.get(Self.url) }
        #expect("\(error)".contains("its closure made a sequence"), "\(error)")
        #expect(throws: StubVerificationError.self) { try stub.verify() }
    }

    @Test(arguments: [11, 12])
    func `a body that is truncated after its end is refused`(count: Int) throws {
        let stub = StubClient().on(.get, "/job", answer: .text("sea and sky").truncated(after: count))
        let error = try #require(throws: HTTPError.self) { try stub.get(Self.url) }
        #expect("\(error)".contains("its body has only 11"), "\(error)")
    }

    @Test func `a closure makes each answer from the request`() throws {
        struct Note: Codable, Equatable { var title: String }
        let stub = StubClient(strict: true).on(.put, "/notes/{id}") { call in
            var note = try call.decoded(as: Note.self)
            note.title += " \(call["id"]) \(call.query("page") ?? "") \(call.headers["X-A"] ?? "") \(call["none"])"
            return .json(note, status: 201).header("Location", "\(call.url)")
        }
        let response = try stub.put(
            "https://api.example.com/notes/a%20b", .json(Note(title: "sea")) |> .query("page", 2) |> .header("X-A", "x")
        )
        #expect(response.status == .created)
        #expect(try response.decoded(as: Note.self) == Note(title: "sea a b 2 x "))
        #expect(response.headers["Location"] == "https://api.example.com/notes/a%20b?page=2")
        #expect(response.mediaType?.isJSON == true)
    }

    @Test func `an HTTPError of a closure is the call's failure, and any other error is the test's`() throws {
        struct Oops: Error {}
        let stub = StubClient()
            .on(.get, "/job") { _ in throw HTTPError.unsupported(Unsupported("x", "y")) }
            .on(.get, "/bad") { _ in throw Oops() }
            .on(.get, "/file", answer: .file("/nowhere"))
            .on(.get, "/json", answer: .json(Double.nan))
        #expect(throws: HTTPError.self) { try stub.get(Self.url) }
        #expect(stub.problems.count == 3)
        for path in ["/bad", "/file", "/json"] {
            let error = try #require(throws: HTTPError.self) { try stub.get("https://api.example.com" + path) }
            #expect("\(error)".hasPrefix("the stub's route GET \(path) cannot be used: its "))
        }
        #expect(stub.problems.count == 3)
        #expect("\(stub.problems)".contains("Oops"))
    }

    @Test func `answers of every kind arrive unchanged`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let whole = Response(
            request: try Request(.get("https://other.example/")), status: 203, reasonPhrase: "Hm",
            headers: ["X-A": "1"],
            body: Data("whole".utf8))
        let answers: [(StubAnswer, HTTPStatus, String, String?)] = [
            (.ok, .ok, "", nil), (.status(404), .notFound, "", nil), (.text("é"), .ok, "é", "text/plain"),
            (.json(text: #"{"a": 1}"#), .ok, #"{"a": 1}"#, "application/json"),
            (.json(["a": 1], status: 201), .created, #"{"a":1}"#, "application/json"),
            (.data(Data("x".utf8), contentType: nil), .ok, "x", nil),
            (.chunks([Data("a".utf8), Data("b".utf8)], contentType: "text/csv"), .ok, "ab", "text/csv"),
            (.file(file.path, contentType: "text/html"), .ok, "file", "text/html"),
            (.file(file), .ok, "file", "application/octet-stream"),
            (.response(whole), 203, "whole", nil),
        ]
        for (answer, status, text, type) in answers {
            let stub = StubClient().on(.get, "/job", answer: answer.header("X-B", "2").trailer("X-T", "3"))
            let response = try stub.get(Self.url)
            #expect(response.status == status)
            #expect(try response.text() == text)
            #expect(response.mediaType?.essence == type)
            #expect(response.headers["X-B"] == "2")
            #expect(response.trailers["X-T"] == "3")
            #expect(response.url.string == Self.url)
        }
    }

    @Test func `trailers come behind the end of a body, and count as fields`() throws {
        let answer = StubAnswer.text("abc").trailer("X-T", String(repeating: "3", count: 200))
        let stub = StubClient().on("/job", answer: answer)
        #expect(try stub.get(Self.url).trailers.count == 1)
        #expect(try stub.send(.head(Self.url)).trailers.isEmpty)
        let enough = RequestStep.destination(.stream { _ in BodySink { _ in throw StopReading() } })
        #expect(try stub.get(Self.url, enough).trailers.isEmpty)
        guard case .failure(.limitExceeded(let failure)) = stub.executeRequest(.get(Self.url) |> .headerLimit(150))
        else {
            Issue.record("they came through")
            return
        }
        #expect(failure.limit == .header)
    }
}
