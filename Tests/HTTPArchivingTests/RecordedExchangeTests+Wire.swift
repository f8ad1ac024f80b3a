import HTTPArchiving
import HTTPSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPPolicies
import HTTPTesting
import HTTPTransfers
import Testing

@Suite struct RecordedExchangeTests {
    private let recorder = ArchiveRecorder(bodyLimit: 1000)

    private func client(_ transport: any HTTPClient = CurlTransport()) -> any HTTPClient {
        transport.intercepted(by: .recording(into: recorder))
    }

    private var entries: [HTTPArchive.Entry] { recorder.archive.entries }

    @Test func `a stream with an element that is no value is recorded whole`() throws {
        struct Row: Decodable, Sendable { let n: Int }
        let server = try MockServer { _ in .text("{\"n\":1}\n{\"n\":2}\nbad\n") }
        #expect(throws: HTTPError.self) {
            try client().stream(.get(server.url), as: .jsonLines(of: Row.self)) { _ in }
        }
        #expect(entries.map(\.response.content.text) == ["{\"n\":1}\n{\"n\":2}\nbad\n"])
    }

    @Test func `an answer without a body has none of the attempt before`() throws {
        let server = try MockServer()
        server.enqueue(.text("half of it").failing(.close(.midBody(after: 4))), .status(.noContent))
        let retrying = CurlTransport().intercepted(
            by: .recording(into: recorder), .retry(RetryPolicy(backoff: Backoff(base: .zero))))
        let directory = try ScratchDirectory()
        let path = directory.file("whole")
        #expect(try retrying.send(.get(server.url) |> .destination(.file(path))).status == .noContent)
        #expect(server.requestCount == 2)
        #expect(entries.map(\.response.status) == [204] && entries.map { $0.response.content.text ?? "" } == [""])
    }

    @Test func `an entry has the request, the response and the durations`() throws {
        let server = try MockServer { _ in
            var answer = MockResponse.json(text: #"{"a":1}"#, status: .created)
            answer.headers.append("n=1; Path=/; HttpOnly; Expires=Wed, 09 Jun 2027 10:18:14 GMT", for: "Set-Cookie")
            answer.headDelay = .milliseconds(20)
            return answer
        }
        let before = Date()
        _ = try client().post(server.url("/p?q=a%20b"), .json(["x": 1]) |> .header("X-One", "1"))
        let entry = try #require(entries.first)
        #expect(entry.request.method == "POST")
        #expect(entry.request.url == server.url("/p?q=a%20b"))
        #expect(entry.request.queryString == [HTTPArchive.Parameter("q", "a b")])
        #expect(entry.request.headers.contains(HTTPArchive.Parameter("X-One", "1")))
        #expect(entry.request.postData?.text == #"{"x":1}"#)
        #expect(entry.request.postData?.mimeType == "application/json")
        #expect(entry.request.bodySize == 7)
        #expect(entry.response.status == 201)
        #expect(entry.response.statusText == "Created")
        #expect(entry.response.httpVersion == "HTTP/1.1")
        #expect(entry.response.content.text == #"{"a":1}"#)
        #expect(entry.response.content.size == 7)
        #expect(entry.response.bodySize == 7)
        #expect(entry.response.cookies.first?.httpOnly == true)
        #expect(entry.response.cookies.first?.expires == "2027-06-09T10:18:14.000Z")
        #expect(entry.serverIPAddress == "127.0.0.1")
        #expect(entry.connection != nil)
        #expect(entry.timings.wait >= 20)
        #expect(entry.timings.connect >= 0)
        #expect(entry.timings.ssl == -1)
        let parts = [
            entry.timings.blocked, entry.timings.dns, entry.timings.connect, entry.timings.wait, entry.timings.receive,
        ]
        #expect(abs(entry.time - parts.filter { $0 > 0 }.reduce(0, +)) < 0.001)
        let started = try #require(entry.started)
        #expect(started.timeIntervalSince(before) > -0.002 && started.timeIntervalSince(before) < 60)
        #expect(entry.startedDateTime.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test func `each redirect is an entry, and they replay as one call`() throws {
        let server = try MockServer { request in
            switch request.path {
            case "/a": .redirect(to: "/b?code=abc", status: .temporaryRedirect).taking(.milliseconds(20))
            case "/b": .redirect(to: "/c", status: .seeOther)
            default: .text("\(request.method) \(request.body.count)")
            }
        }
        let live = try client().post(server.url("/a"), .text("hello"))
        #expect(entries.map(\.request.method) == ["POST", "POST", "GET"])
        #expect(entries.map(\.request.url) == ["/a", "/b?code=REDACTED", "/c"].map { server.url($0) })
        #expect(entries.map(\.response.status) == [307, 303, 200])
        #expect(
            entries.map(\.response.redirectURL)
                == ["/b?code=REDACTED", "/c", ""].map { $0.isEmpty ? "" : server.url($0) })
        #expect(entries.map { $0.request.postData?.text } == ["hello", "hello", nil])
        #expect(
            entries[0].timings.wait >= 20 && entries.allSatisfy { $0.timings.wait > 0 && $0.serverIPAddress != nil })
        let times = entries.compactMap(\.started)
        #expect(times.count == 3 && times[1].timeIntervalSince(times[0]) >= 0.019 && times[2] >= times[1])
        let replay = ReplayClient(recorder.archive)
        let replayed = try replay.post(server.url("/a"), .text("hello"))
        #expect(replayed.content == "GET 0")
        #expect(replayed.url == live.url)
        #expect(replayed.redirects.map(\.status) == live.redirects.map(\.status))
        #expect(server.requests.count == 3)
        guard
            case .success(let first) = ReplayClient(recorder.archive).executeRequest(
                .post(server.url("/a")) |> .text("hello") |> .redirects(.never))
        else {
            Issue.record("a redirect that is not followed is an answer")
            return
        }
        #expect(first.status == .temporaryRedirect)
    }

    @Test func `a login whose redirect sets the cookie replays as it was recorded`() throws {
        let server = try MockServer { request in
            guard request.path == "/login" else { return .text(request.headers["Cookie"] ?? "nobody") }
            return .redirect(to: "/home", status: .seeOther).header("Set-Cookie", "s=1; Path=/").header("X-One", "1")
        }
        func logIn(_ client: any HTTPClient, _ jar: CookieJar) throws -> Response {
            try client.post(server.url("/login"), .form(["user": "ada"]) |> .cookies(jar))
        }
        let options = ArchiveRedaction.none
        let recorder = ArchiveRecorder(redaction: options)
        let live = try logIn(CurlTransport().intercepted(by: .recording(into: recorder)), CookieJar())
        let hop = try #require(live.redirects.first)
        #expect(live.content == "s=1" && hop.headers.values(for: "Set-Cookie") == ["s=1; Path=/"])
        #expect(!"\(live.redirects)".contains("s=1"))
        let entry = try #require(recorder.archive.entries.first?.response)
        #expect(entry.cookies.map(\.name) == ["s"] && entry.headers.contains(HTTPArchive.Parameter("X-One", "1")))
        #expect(!entry.headers.contains { $0.name.lowercased() == "content-length" })
        let (jar, replay) = (CookieJar(), ReplayClient(recorder.archive))
        #expect(try logIn(replay, jar).content == "s=1" && jar.cookies.map(\.value) == ["1"])
        let refused = try ReplayClient(recorder.archive).post(
            server.url("/login"), .form(["user": "ada"]) |> .redirects(.never))
        #expect(refused.status == .seeOther && refused.headers["X-One"] == "1")
        #expect(server.requests.map(\.path) == ["/login", "/home"])
    }

    @Test func `bytes, streams, files and forms are recorded and replay byte for byte`() throws {
        let directory = ArchiveDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        try Data("from a file".utf8).write(to: URL(filePath: directory.file("in")))
        let bytes: [UInt8] = [0, 255, 10, 13, 195, 40]
        let server = try MockServer { _ in .data(bytes) }
        let stream = RequestBody.stream(replayable: false) { .chunks([Data("ab".utf8), Data("cd".utf8)]) }
        let destination = RequestStep.destination(.file(directory.file("out")))
        _ = try client().executeRequest(.put(server.url("/1")) |> .body(stream) |> destination).get()
        _ = try client().executeRequest(.put(server.url("/2")) |> .file(directory.file("in"))).get()
        _ = try client().executeRequest(.put(server.url("/3")) |> .body(.data(Data(bytes)))).get()
        let form = MultipartBody([.text("t", "x"), .file("f", directory.file("in")), .stream("s") { .data(Data([1])) }])
        _ = try client().executeRequest(.post(server.url("/4")) |> .body(.multipart(form))).get()
        #expect(try Data(contentsOf: URL(filePath: directory.file("out"))) == Data(bytes))
        #expect(server.requests.map { $0.headers["Content-Length"] }.prefix(3) == [nil, "11", "6"])
        let posts = entries.compactMap(\.request.postData)
        #expect(posts.map(\.encoding).prefix(3) == [nil, nil, "base64"])
        #expect(posts.map(\.text).prefix(3) == ["abcd", "from a file", Data(bytes).base64EncodedString()])
        #expect(posts.last?.text == String(decoding: server.requests[3].body, as: UTF8.self))
        #expect(posts.last?.params?.map(\.name) == ["t", "f", "s"])
        #expect(entries.allSatisfy { $0.response.content.encoding == "base64" })
        let replay = ReplayClient(recorder.archive)
        let again = RequestBody.stream { .chunks([Data("abcd".utf8)]) }
        let out = RequestStep.destination(.file(directory.file("again")))
        let response = try replay.executeRequest(.put(server.url("/1")) |> .body(again) |> out).get()
        #expect(response.body.isEmpty)
        #expect(response.bodyByteCount == 6)
        #expect(try Data(contentsOf: URL(filePath: directory.file("again"))) == Data(bytes))
        // With another boundary.
        let other = MultipartBody(form.parts)
        #expect(
            try replay.executeRequest(.post(server.url("/4")) |> .body(.multipart(other))).get().body == Data(bytes))
        let wrong = MultipartBody([.text("t", "y")] + form.parts.dropFirst())
        let recorded = ReplayClient(recorder.archive)
        #expect(
            recorded.executeRequest(.post(server.url("/4")) |> .body(.multipart(wrong))).message.contains("body is"))
    }

    @Test func `a body beyond the limit is streamed, and left out with a note`() throws {
        let server = try MockServer { _ in .text(String(repeating: "x", count: 5000)) }
        var received = 0
        let body = RequestBody.stream { .data(Data(repeating: 0x79, count: 3000)) }
        let counted = Locked(0)
        let sink = RequestStep.destination(
            .stream { _ in BodySink { bytes in counted.withLock { [count = bytes.count] in $0 += count } } })
        _ = try client().executeRequest(.put(server.url("/")) |> .body(body) |> sink).get()
        received = counted.withLock { $0 }
        #expect(received == 5000)
        #expect(server.requests.first?.body.count == 3000)
        let entry = try #require(entries.first)
        #expect(entry.request.bodySize == 3000)
        #expect(entry.request.postData?.text == "")
        #expect(entry.response.content.text == nil)
        #expect(entry.response.content.size == 5000)
        #expect(entry.response.content.comment == "not kept: it has more than the 1000 bytes that bodyLimit allows")
        let message = ReplayClient(recorder.archive).executeRequest(.put(server.url("/")) |> .body(body)).message
        #expect(message.contains("has a body of 5000 bytes that was not kept"), "\(message)")
    }

    @Test func `failed calls are recorded and fail again`() throws {
        let stub = StubClient { request in
            var record = CallRecord(request, phase: .waiting)
            record.engine = CallRecord.UnderlyingError(code: 28, message: "the engine's words")
            let errors: [String: HTTPError] = [
                "/time": .timedOut(TimeoutFailure(.idle, after: .milliseconds(1500), record: record)),
                "/name": .resolution(ResolutionFailure(host: "a.example", record: record)),
                "/refused": .connection(ConnectionFailure(.refused, mayHaveBeenProcessed: false, record: record)),
                "/proxy": .connection(
                    ConnectionFailure(.proxy, mayHaveBeenProcessed: false, proxyStatus: 503, record: record)),
                "/tls": .tls(TLSFailure(.expired, record: record)),
                "/broken": .protocolViolation(ProtocolViolation("it is no HTTP", record: record)),
                "/short": .truncatedBody(TruncatedBody(.contentLength(expected: 9), received: 4, record: record)),
                "/coded": .truncatedBody(TruncatedBody(.contentCoding("br"), received: 4, record: record)),
            ]
            return .failure(errors[String(request.url.path)] ?? .cancelled(record))
        }
        let paths = ["/time", "/name", "/refused", "/tls", "/broken", "/short", "/coded", "/proxy"]
        let live = paths.map { client(stub).executeRequest(.get("http://a.example" + $0)).message }
        #expect(client(stub).executeRequest(.get("http://a.example/cancelled")).message.contains("was cancelled"))
        #expect(entries.count == paths.count)
        #expect(entries.map(\.response.status) == paths.map { _ in 0 })
        #expect(entries.map(\.response.error) == live)
        let replay = ReplayClient(try HTTPArchive(data: try recorder.archive.encoded()))
        let again = paths.map { replay.executeRequest(.get("http://a.example" + $0)) }
        #expect(again.map(\.message) == live)
        guard case .failure(.connection(let refused)) = again[2] else {
            Issue.record("a refused connection is one again")
            return
        }
        #expect(refused.reason == .refused && !refused.mayHaveBeenProcessed && refused.proxyStatus == nil)
        guard case .failure(.connection(let proxy))? = again.last else {
            Issue.record("a proxy's refusal is one again")
            return
        }
        #expect(proxy.reason == .proxy && proxy.proxyStatus == 503)
    }

    @Test func `a cycle of redirects fails again in the same way`() throws {
        let server = try MockServer { request in .redirect(to: request.path == "/a" ? "/b" : "/a") }
        let live = client().executeRequest(.get(server.url("/a"))).message
        #expect(live.contains("leads back"))
        #expect(ReplayClient(recorder.archive).executeRequest(.get(server.url("/a"))).message == live)
        #expect(server.requests.count == 6, "each of the two URLs three times")
    }

    @Test func `a redirect to no valid URL fails again, and is a response to a request that follows none`() throws {
        let server = try MockServer { _ in .redirect(to: "http://[::1") }
        let live = client().executeRequest(.get(server.url("/a"))).message
        #expect(live.contains("has a Location that is"))
        let archive = try HTTPArchive(data: try recorder.archive.encoded())
        let again = ReplayClient(archive).executeRequest(.get(server.url("/a"))).message
        #expect(again.contains("has a Location that was refused when it was recorded"), "\(again)")
        #expect(try ReplayClient(archive).get(server.url("/a"), .redirects(.never)).status == .found)
    }

    @Test func `trailers and a decoded body are replayed`() throws {
        let zipped: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0, 0, 0,
        ]
        let server = try MockServer { request in
            if request.path == "/trailer" {
                return MockResponse(body: Array("abc".utf8), framing: .chunked()).trailer("X-Sum", "9")
            }
            var answer = MockResponse.data(zipped, contentType: "text/plain")
            answer.headers.append("gzip", for: "Content-Encoding")
            return answer
        }
        let live = try client().get(server.url("/zip"))
        _ = try client().get(server.url("/trailer"))
        let replay = ReplayClient(try HTTPArchive(data: try recorder.archive.encoded()))
        let zip = try replay.get(server.url("/zip"))
        #expect(zip.content == "hello")
        #expect(zip.headers == live.headers)
        #expect(entries.first?.response.bodySize == 25)
        #expect(entries.first?.response.content.size == 5)
        #expect(try replay.get(server.url("/trailer")).trailers == ["X-Sum": "9"])
    }
}
