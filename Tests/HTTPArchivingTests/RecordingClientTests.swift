import HTTPArchiving
import Foundation
import HTTPCore
import HTTPPolicies
import HTTPTesting
import Synchronization
import Testing

@Suite struct RecordingClientTests {
    let directory = ArchiveDirectory()

    /// Answers with the number of the call.
    private final class Counter: HTTPClient {
        private let calls = Atomic(0)
        var count: Int { calls.load(ordering: .relaxed) }

        @available(*, noasync)
        func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
            let number = calls.add(1, ordering: .relaxed).newValue
            return .success(
                Response(
                    request: request, status: .ok, headers: ["Content-Type": "text/plain", "X-Number": "\(number)"],
                    body: Data("\(number) \(request.url.path)".utf8)))
        }
    }

    /// Makes the file look as if another process had written it.
    func age(_ name: String = "calls.har") throws {
        let path = directory.file(name)
        var archive = try HTTPArchive(contentsOf: path)
        archive.process = "another"
        try archive.write(to: path)
    }

    @Test func `once with a file of an earlier run does not call for new requests`() throws {
        let counter = Counter()
        _ = try RecordingClient(counter, file: directory.file()).get("http://a.example/one")
        try age()
        let client = try RecordingClient(counter, file: directory.file())
        let message = client.executeRequest(.get("http://a.example/two")).message
        #expect(counter.count == 1)
        #expect(
            message == "the recording \(directory.file()) has no answer to GET http://a.example/two."
                + " The nearest is entry 0: URL is \"http://a.example/two\" and was \"http://a.example/one\"."
                + " Record it again, or compare less (matcher)")
        #expect(try HTTPArchive(contentsOf: directory.file()).entries.count == 1)
    }

    @Test func `what a sink was given last before it had enough is recorded, too`() throws {
        let sink = RequestStep.destination(.stream { _ in BodySink { _ in throw StopReading() } })
        let stub = StubClient().on("**", answer: .text("1 /one"))
        _ = try RecordingClient(stub, file: directory.file()).get("http://a.example/one", sink)
        let entry = try #require(try HTTPArchive(contentsOf: directory.file()).entries.first)
        #expect(entry.response.content.text == "1 /one")
    }

    @Test func `offline never calls, and requires the file`() throws {
        let counter = Counter()
        #expect(throws: ArchiveProblem.self) {
            try RecordingClient(counter, file: directory.file(), mode: .offline)
        }
        _ = try RecordingClient(counter, file: directory.file()).get("http://a.example/one")
        // Even if this process has written it.
        let client = try RecordingClient(counter, file: directory.file(), mode: .offline)
        #expect(try client.get("http://a.example/one").content == "1 /one")
        #expect(client.executeRequest(.get("http://a.example/two")).message.contains("has no answer"))
        #expect(counter.count == 1)
    }

    @Test func `refresh always calls and replaces earlier recordings`() throws {
        let counter = Counter()
        let old = try RecordingClient(counter, file: directory.file())
        for path in ["one", "two"] { _ = try old.get("http://a.example/" + path) }
        try age()
        let client = try RecordingClient(counter, file: directory.file(), mode: .refresh)
        #expect(try HTTPArchive(contentsOf: directory.file()).entries.count == 2)
        #expect(try client.get("http://a.example/one").content == "3 /one")
        #expect(try HTTPArchive(contentsOf: directory.file()).entries.map(\.response.content.text) == ["3 /one"])
        // The next client of the same process adds to it.
        let other = try RecordingClient(counter, file: directory.file(), mode: .refresh)
        _ = try other.get("http://a.example/two")
        #expect(
            try HTTPArchive(contentsOf: directory.file()).entries.map(\.response.content.text) == ["3 /one", "4 /two"])
    }

    @Test func `refresh replaces a file that cannot be read`() throws {
        _ = try RecordingClient(Counter(), file: directory.file()).get("http://a.example/one")
        try Data("{".utf8).write(to: URL(filePath: directory.file()))
        let client = try RecordingClient(Counter(), file: directory.file(), mode: .refresh)
        #expect(try client.get("http://a.example/two").content == "1 /two")
        #expect(try HTTPArchive(contentsOf: directory.file()).entries.map(\.response.content.text) == ["1 /two"])
    }

    @Test func `extend replays existing entries and records the rest`() throws {
        let counter = Counter()
        _ = try RecordingClient(counter, file: directory.file()).get("http://a.example/one")
        try age()
        let client = try RecordingClient(counter, file: directory.file(), mode: .extend)
        #expect(try client.get("http://a.example/one").content == "1 /one")
        #expect(try client.get("http://a.example/two").content == "2 /two")
        #expect(counter.count == 2)
        #expect(
            try HTTPArchive(contentsOf: directory.file()).entries.map(\.response.content.text) == ["1 /one", "2 /two"])
    }

    @Test func `equal requests replay in the order of their recording, then fail or repeat`() throws {
        let recording = try RecordingClient(Counter(), file: directory.file())
        for _ in 0..<3 { _ = try recording.get("http://a.example/") }
        let strict = try ReplayClient(contentsOf: directory.file())
        #expect(try (0..<3).map { _ in try strict.get("http://a.example/").content } == ["1 /", "2 /", "3 /"])
        #expect(
            strict.executeRequest(.get("http://a.example/")).message.contains(
                "GET http://a.example/ was recorded 3 times and is asked for once more"))
        let lax = try ReplayClient(contentsOf: directory.file(), options: .init(repeats: .last))
        #expect(
            try (0..<5).map { _ in try lax.get("http://a.example/").content }
                == ["1 /", "2 /", "3 /", "3 /", "3 /"])
    }

    @Test func `no secret gets into the file, and other credentials replay`() throws {
        let secret = "s3cr3t-value"
        let stub = StubClient { request in
            .success(
                Response(
                    request: request, status: .ok,
                    headers: [
                        "Content-Type": "application/json", "Set-Cookie": "sid=\(secret); Path=/", "X-Api-Key": secret,
                    ],
                    body: Data(#"{"access_token":"\#(secret)","next":"/?sig=\#(secret)"}"#.utf8)))
        }
        func login(_ client: RecordingClient, _ secret: String) throws -> Response {
            let credentials =
                RequestStep.bearer(secret) |> .header("Cookie", "a=\(secret)") |> .query("api_key", secret)
                |> .form(["password": secret, "user": "ann"])
            return try client.post("https://a.example/login", credentials)
        }
        let live = try login(try RecordingClient(stub, file: directory.file()), secret)
        #expect(live.content.contains(secret))
        #expect(!(try directory.text()).contains(secret))
        try age()
        let replayed = try login(try RecordingClient(stub, file: directory.file()), "another")
        #expect(replayed.content == #"{"access_token":"REDACTED","next":"/?sig=REDACTED"}"#)
        #expect(replayed.headers["Set-Cookie"] == "sid=REDACTED; Path=/")
    }

    @Test func `a form that a redirect takes to another origin is masked, and matches again`() throws {
        let form = MultipartBody([.text("password", "s3cr3t"), .text("title", "Sea")])
        func upload(_ origins: Int) throws -> HTTPError? {
            let stub = StubClient()
                .on(
                    .post, "https://a.example/up",
                    answer: .redirect(to: "https://b.example/up", status: .temporaryRedirect)
                )
                .on(.post, "https://b.example/up", answer: .failure(.connection(.closedBeforeResponse)))
            let client = try RecordingClient(stub, file: directory.file())
            let outcome = client.executeRequest(.post("https://a.example/up") |> .bearer("t0k3n") |> .multipart(form))
            #expect(stub.requests.count == origins)
            if case .failure(let error) = outcome { return error } else { return nil }
        }
        let live = try #require(try upload(2))
        let requests = try HTTPArchive(contentsOf: directory.file()).entries.map(\.request)
        #expect(requests.map(\.url) == ["https://a.example/up", "https://b.example/up"])
        for request in requests {
            #expect(request.postData?.mimeType.hasPrefix("multipart/form-data; boundary=") == true)
            #expect(request.postData?.text.contains("Sea") == true)
        }
        #expect(requests[1].headers.map(\.name) == ["Content-Type"])
        let text = try directory.text()
        #expect(!text.contains("s3cr3t") && !text.contains("t0k3n"))
        try age()
        let replayed = try #require(try upload(0))
        guard case .connection = live, case .connection = replayed else { Issue.record("\(replayed)"); return }
    }

    @Test func `many threads and several clients lose nothing in one file`() throws {
        let clients = try (0..<4).map { _ in
            try RecordingClient(Counter(), file: directory.file(), mode: .refresh)
        }
        DispatchQueue.concurrentPerform(iterations: 40) { number in
            _ = clients[number % 4].executeRequest(.get("http://a.example/\(number)"))
        }
        for client in clients { try client.save() }
        let archive = try HTTPArchive(contentsOf: directory.file())
        let paths = archive.entries.map(\.request.url)
        #expect(paths.count == 40)
        #expect(Set(paths).count == 40)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["calls.har"])
    }

    @Test func `a file of this process is extended, so that tests can share it`() throws {
        let counter = Counter()
        let one = try RecordingClient(counter, file: directory.file())
        _ = try one.get("http://a.example/one")
        let two = try RecordingClient(counter, file: directory.file())
        #expect(try two.get("http://a.example/one").content == "1 /one")
        #expect(try two.get("http://a.example/two").content == "2 /two")
        _ = try one.get("http://a.example/three")
        #expect(try HTTPArchive(contentsOf: directory.file()).entries.count == 3)
    }

    @Test func `a recording that cannot be written fails the call and names the file`() throws {
        try FileManager.default.createDirectory(atPath: directory.file(), withIntermediateDirectories: true)
        let client = try RecordingClient(Counter(), file: directory.file(), mode: .refresh)
        let result = client.executeRequest(.get("http://a.example/"))
        let problem = try #require(throws: ArchiveProblem.self) { try client.save() }
        let words = "the file \(directory.file()) cannot be written"
        #expect(result.message == "GET http://a.example/ failed: \(words) (\(problem.reason))")
        guard case .failure(.body(let failure)) = result else { return #expect(Bool(false), "\(result)") }
        #expect((failure.underlying as? ArchiveProblem)?.reason == problem.reason)
        #expect(problem.reason.hasPrefix("it cannot be written: check its path and permissions ("))
    }

    @Test func `a recording that was damaged meanwhile fails the call, and is not said to lack permissions`() throws {
        let client = try RecordingClient(Counter(), file: directory.file())
        _ = try client.get("http://a.example/one")
        try Data("{".utf8).write(to: URL(filePath: directory.file()))
        let result = client.executeRequest(.get("http://a.example/"))
        let words = "the file \(directory.file()) cannot be written (it is not JSON, or breaks off: record it again ("
        #expect(result.message.hasPrefix("GET http://a.example/ failed: " + words), "\(result.message)")
        #expect(result.message.hasSuffix("))"), "\(result.message)")
    }

    @Test func `a large archive is written in time, and complete at the end`() throws {
        let big = StubClient { request in
            .success(
                Response(
                    request: request, status: .ok, headers: ["Content-Type": "text/plain"],
                    body: Data(repeating: 0x61, count: 600_000)))
        }
        let path = directory.file()
        do {
            let client = try RecordingClient(big, file: path)
            for number in 0..<6 { _ = try client.get("http://a.example/\(number)") }
        }
        #expect(try HTTPArchive(contentsOf: path).entries.count == 6)
    }

    @Test func `the cookies of a jar are recorded, masked, and compared`() throws {
        let recorder = ArchiveRecorder()
        let stub = StubClient().on(.get, "/a", answer: .text("a").header("Set-Cookie", "n=1; Path=/"))
            .on(.get, "/b", answer: .redirect(to: "/c")).on(.get, "/c", answer: .text("c"))
        let recording = stub.intercepted(by: .recording(into: recorder))
        let jar = CookieJar()
        for path in ["/a", "/a", "/b"] { _ = try recording.get("https://a.example" + path, .cookies(jar)) }
        #expect(stub.requests.map { $0.headers["Cookie"] } == [nil, "n=1", "n=1", "n=1"])
        let requests = recorder.archive.entries.map(\.request)
        let cookies = requests.map { $0.headers.filter { $0.name == "Cookie" }.map(\.value) }
        // Of a redirect that was followed they are not known.
        #expect(cookies == [[], ["n=REDACTED"], [], ["n=REDACTED"]])
        #expect(requests.map { $0.cookies.map(\.value) } == [[], ["REDACTED"], [], ["REDACTED"]])
        let replay = ReplayClient(recorder.archive, options: .init(matcher: ArchiveMatcher(.url, .header("Cookie"))))
        let other = CookieJar()
        #expect(try replay.get("https://a.example/a", .cookies(other)).content == "a")
        #expect(try replay.get("https://a.example/a", .cookies(other)).content == "a")
        #expect(replay.unused.count == 2)
    }

    @Test func `a replay keeps to deadlines by the clock of the client that is recorded`() throws {
        let stub = StubClient().on(.get, "/a", answer: .redirect(to: "/b")).on(.get, "/b", answer: .text("b"))
        let file = directory.file("clock.har")
        _ = try RecordingClient(stub, file: file).get("https://a.example/a")
        let passing = ArchiveMatcher.Aspect("nothing, in ten seconds") { _ in
            stub.time.advance(by: .seconds(10))
            return nil
        }
        let matcher = ArchiveMatcher(.url, passing)
        let client = try RecordingClient(
            stub, file: file, mode: .offline, options: .init(replay: .init(matcher: matcher, repeats: .last)))
        #expect(try client.get("https://a.example/a").content == "b")
        let outcome = client.executeRequest(.get("https://a.example/a") |> .timeout(.seconds(5)))
        guard case .failure(.timedOut(let failure)) = outcome else {
            Issue.record("\(outcome.message)")
            return
        }
        #expect(failure.limit == .total && failure.duration == .seconds(5))
    }

    @Test func `an interceptor collects in memory, for several clients`() throws {
        let recorder = ArchiveRecorder()
        for client in [Counter(), Counter()] {
            _ = try client.intercepted(by: .recording(into: recorder)).get("http://a.example/x?token=t")
        }
        #expect(
            recorder.archive.entries.map(\.request.url)
                == Array(repeating: "http://a.example/x?token=REDACTED", count: 2))
        #expect(try ReplayClient(recorder.archive).get("http://a.example/x?token=u").content == "1 /x")
    }
}
