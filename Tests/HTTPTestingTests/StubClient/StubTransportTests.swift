import HTTPPolicies
import HTTPTransfers
import Foundation
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

/// The behaviour that a stub shares with transports.
@Suite struct StubTransportTests {
    private static let base = "https://api.example.com"

    /// The calls of a sink.
    private final class Sink: Sendable {
        private let events = Mutex<[String]>([])

        var seen: [String] { events.withLock(\.self) }

        var destination: BodyDestination {
            .stream { start in
                self.add("start \(start.status) \(start.bodyLength.map(String.init) ?? "?")")
                return BodySink(
                    write: { bytes in self.add(String(decoding: bytes, as: UTF8.self)) },
                    finish: { self.add("finish") }, abandon: { self.add("abandon") })
            }
        }

        private func add(_ event: String) { events.withLock { $0.append(event) } }
    }

    @Test func `the body goes to the request's sink, piece by piece`() throws {
        let sink = Sink()
        let stub = StubClient().on(.get, "/a", answer: .chunks(["sea", "sky"].map { Data($0.utf8) }))
        let response = try stub.get(Self.base + "/a", .destination(sink.destination))
        #expect(sink.seen == ["start 200 ?", "sea", "sky", "finish"])
        #expect(response.body.isEmpty)
        #expect(response.bodyByteCount == 6)
    }

    @Test func `a refusal's body goes to memory, and no sink is made`() throws {
        let sink = Sink()
        let stub = StubClient().on(.get, "/a", answer: .text("no", status: 403))
        let response = try stub.get(Self.base + "/a", .destination(sink.destination))
        #expect(try response.text() == "no")
        #expect(sink.seen.isEmpty)
    }

    @Test func `the start of a truncated body reaches the sink, which is abandoned`() throws {
        let sink = Sink()
        let stub = StubClient().on(.get, "/a", answer: .text("sea and sky").truncated(after: 3))
        let error = try #require(throws: HTTPError.self) {
            try stub.get(Self.base + "/a", .destination(sink.destination))
        }
        guard case .truncatedBody(let truncated) = error else { throw error }
        #expect(truncated.reason == .contentLength(expected: 11))
        #expect(truncated.received == 3)
        #expect(sink.seen == ["start 200 11", "sea", "abandon"])
    }

    @Test func `a file appears complete or not at all`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let stub = StubClient().on(.get, "/a", answer: .text("sea").truncated(after: 1).then(.text("sea")))
        #expect(throws: HTTPError.self) { try stub.get(Self.base + "/a", .destination(.file(path))) }
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try stub.get(Self.base + "/a", .destination(.file(path)))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "sea")
    }

    @Test func `limits of the request apply`() throws {
        let stub = StubClient().on(
            .get, "/a", answer: .text("0123456789").header("X-Long", String(repeating: "x", count: 500)))
        #expect(try stub.get(Self.base + "/a", .bodyLimit(10)).body.count == 10)
        for (step, limit) in [(RequestStep.bodyLimit(9), LimitExceeded.Limit.body), (.headerLimit(100), .header)] {
            let error = try #require(throws: HTTPError.self) { try stub.get(Self.base + "/a", step) }
            guard case .limitExceeded(let exceeded) = error else { throw error }
            #expect(exceeded.limit == limit)
        }
    }

    @Test func `redirects follow the request's policy, and credentials are dropped`() throws {
        let stub = StubClient(strict: true)
            .on(.post, "https://api.example.com/a", answer: .redirect(to: "/b"))
            .on(.get, "https://api.example.com/b", answer: .redirect(to: "https://other.example/c", status: 307))
            .on(.get, "https://other.example/c", .noHeader("Authorization"), answer: .text("there"))
        let response = try stub.post(Self.base + "/a", .bearer("t-1") |> .text("sea"))
        #expect(try response.text() == "there")
        #expect(response.url.string == "https://other.example/c")
        #expect(response.redirects.map(\.status) == [302, 307])
        #expect(response.metrics.attemptCount == 3)
        #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer t-1", "Bearer t-1", nil])
        #expect(stub.requests.map(\.text) == ["sea", "", ""])
        try stub.verify()
        let raw = try stub.post(Self.base + "/a", .redirects(.never))
        #expect(raw.status == .found)
    }

    @Test func `the body of a followed redirect is ignored`() throws {
        let moved = StubAnswer.text("it has moved", status: 301).header("Location", "/b")
        let stub = StubClient(strict: true).on(.get, "/a", answer: moved).on(.get, "/b", answer: .text("b"))
        #expect(try stub.get(Self.base + "/a", .bodyLimit(1)).text() == "b")
    }

    @Test func `a cycle of redirects is detected`() throws {
        let stub = StubClient().on("/a", answer: .redirect(to: "/a"))
        let error = try #require(throws: HTTPError.self) { try stub.get(Self.base + "/a") }
        guard case .redirect(let failure) = error else { throw error }
        #expect(failure.reason == .cycle(visits: 3))
        #expect(stub.requestCount == 3)
    }

    @Test func `cookies are stored in the request's jar and sent from it`() throws {
        let jar = CookieJar()
        let stub = StubClient(strict: true)
            .on(.post, "/login", answer: .ok.header("Set-Cookie", "session=s-1; Path=/; Secure"))
            .on(.get, "/profile", .header("Cookie", "session=s-1"), answer: .text("Ada"))
        _ = try stub.post(Self.base + "/login", .cookies(jar))
        #expect(try stub.get(Self.base + "/profile", .cookies(jar)).text() == "Ada")
        #expect(throws: HTTPError.self) { try stub.get(Self.base + "/profile") }
    }

    @Test func `progress is reported in both directions`() throws {
        let sent = Mutex<[Int64]>([])
        let received = Mutex<[Int64]>([])
        let stub = StubClient().on(.put, "/a", answer: .chunks([Data(count: 10), Data(count: 20)]))
        let steps: RequestStep =
            .data(Data(count: 100_000))
            |> .uploadProgress(every: .zero) { news in sent.withLock { $0.append(news.bytes) } }
            |> .downloadProgress(every: .zero) { news in received.withLock { $0.append(news.bytes) } }
        _ = try stub.put(Self.base + "/a", steps)
        #expect(sent.withLock(\.last) == 100_000)
        #expect(received.withLock(\.first) == 10)
        #expect(received.withLock(\.last) == 30)
    }

    @Test func `lines and events are read as they arrive`() throws {
        let stub = StubClient()
            .on(.get, "/lines", answer: .chunks(["a\nb", "c\n"].map { Data($0.utf8) }))
        let lines = Mutex<[String]>([])
        let destination = BodyDestination.lines { line in lines.withLock { $0.append(line) } }
        _ = try stub.get(Self.base + "/lines", .destination(destination))
        #expect(lines.withLock(\.self) == ["a", "bc"])
    }

    @Test func `a response to HEAD, and one with 204, has no body`() throws {
        let stub = StubClient().on(.head, "/a", answer: .text("sea")).on(.get, "/a", answer: .text("sea", status: 204))
        #expect(try stub.send(.head(Self.base + "/a")).body.isEmpty)
        #expect(try stub.get(Self.base + "/a").body.isEmpty)
    }

    @Test func `two lengths in a response are an error, as over a transport`() throws {
        let stub = StubClient().on(
            "/a", answer: .text("sea").header("Content-Length", "3").header("Content-Length", "4"))
        let error = try #require(throws: HTTPError.self) { try stub.get(Self.base + "/a") }
        guard case .protocolViolation = error else { throw error }
    }

    @Test(
        arguments: [
            (.text("sea").header("X Y", "1"), "\"X Y\" is not a token"),
            (.text("sea").header("X-Y", "1\r\nSet-Cookie: a=1"), "X-Y has a line break"),
            (.text("sea").trailer("X-Y", "1 "), "X-Y begins or ends with a space"),
            (.text("sea").header("Content-Length", "4"), "Content-Length is 4, and its body has 3 bytes"),
            (.made { _ in .text("sea").header("Content-Length", "2") }, "Content-Length is 2"),
            (.status(-1), "its status is -1"), (.status(99), "its status is 99"), (.text("sea", status: 100), "is 100"),
            (.status(1000), "its status is 1000"),
        ] as [(StubAnswer, String)])
    func `an answer that no server can send is an error of the test`(answer: StubAnswer, words: String) throws {
        let stub = StubClient().on("/a", answer: answer)
        let error = try #require(throws: HTTPError.self) { try stub.get(Self.base + "/a") }
        guard case .unsupported(let unsupported) = error else { throw error }
        #expect(unsupported.reason.contains(words), "\(unsupported.reason)")
        let problems = try #require(throws: StubVerificationError.self) { try stub.verify() }
        #expect("\(problems)".contains(words))
    }

    @Test(arguments: [
        StubAnswer.text("sea").header("Content-Length", "3"), .text("sea").header("Transfer-Encoding", "chunked"),
        .status(304, headers: ["Content-Length": "3"]),
        .text("sea").header("Content-Encoding", "gzip").header("Content-Length", "23"),
    ])
    func `an answer with fields that a server sends is delivered`(answer: StubAnswer) throws {
        let stub = StubClient().on("/a", answer: answer)
        #expect(try stub.get(Self.base + "/a").status != .notFound)
        try stub.verify()
    }

    @Test func `an endpoint is executed and decoded`() throws {
        struct Note: Codable, Equatable { let id: Int }
        let stub = StubClient().on(.get, "/notes/{id}") { .json(Note(id: Int($0["id"]) ?? 0)) }
        let note = try stub.execute(.get(Self.base + "/notes/7"), as: Note.self)
        #expect(note == Note(id: 7))
    }
}
