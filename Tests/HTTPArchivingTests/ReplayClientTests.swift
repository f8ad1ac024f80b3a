import HTTPArchiving
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import Foundation
import HTTPCore
import HTTPEngine
import HTTPTesting
import Testing

@Suite struct ReplayClientTests {
    private static let url = "https://a.example/x"

    private func client(_ entries: HTTPArchive.Entry..., options: ReplayClient.Options = .init()) -> ReplayClient {
        ReplayClient(HTTPArchive(entries: entries), options: options)
    }

    @Test func `limits apply to the head and the body`() {
        let entry = HTTPArchive.Entry.of(url: Self.url, 200, "0123456789")
        guard case .failure(.limitExceeded(let body)) = client(entry).executeRequest(.get(Self.url) |> .bodyLimit(9)),
            case .failure(.limitExceeded(let head)) = client(
                .of(url: Self.url, headers: [HTTPArchive.Parameter("X-Long", "0123456789")])
            ).executeRequest(.get(Self.url) |> .headerLimit(15))
        else {
            Issue.record("it came through")
            return
        }
        #expect(body.limit == .body && body.value == 9)
        #expect(head.limit == .header)
        #expect(throws: Never.self) { try client(entry).get(Self.url, .bodyLimit(10)) }
    }

    @Test func `the explanation of a replay says that nothing was sent`() throws {
        let response = try client(.of(url: Self.url, 200, "x")).get(Self.url)
        #expect(response.explanation.hasSuffix("Nothing was sent: a replay, a cache or a policy ended the call."))
    }

    @Test func `a recorded 417 is the result of its call, which was made once more without its expectation`() throws {
        let post = HTTPArchive.PostData(mimeType: "text/plain; charset=utf-8", text: "body")
        let client = client(
            .of("POST", url: Self.url, 417, "no", body: post), .of("POST", url: Self.url, 417, "no", body: post))
        let draft = MutableRequest.post(Self.url) |> .text("body") |> .expectContinue()
        for unused in [1, 0] {
            let response = try client.send(draft)
            #expect(response.status == 417 && response.content == "no")
            #expect(client.unused.count == unused)
        }
        #expect(client.executeRequest(draft).message.contains("was recorded 2 times"))
    }

    @Test func `a refusal goes to memory and a good response to the sink`() throws {
        let taken = Locked(Data())
        let sink = RequestStep.destination(
            .stream { _ in BodySink { bytes in taken.withLock { [data = Data(bytes)] in $0 += data } } })
        let long = String(repeating: "abc", count: 50_000)
        let client = client(.of(url: Self.url, 404, "none"), .of(url: Self.url, 200, long))
        #expect(try client.get(Self.url, sink).content == "none")
        #expect(taken.withLock { $0.isEmpty })
        let response = try client.get(Self.url, sink)
        #expect(response.body.isEmpty)
        #expect(response.bodyByteCount == 150_000)
        // Not compared inside the expectation, which would print the difference of two long values.
        let isWhole = taken.withLock { $0 } == Data(long.utf8)
        #expect(isWhole)
    }

    @Test func `an error of the sink fails the call, and the sink is abandoned`() {
        struct Full: Error {}
        let abandoned = Locked(false)
        let sink = RequestStep.destination(
            .stream { _ in
                BodySink(write: { _ in throw Full() }, abandon: { abandoned.withLock { $0 = true } })
            })
        guard
            case .failure(.body(let failure)) = client(.of(url: Self.url, 200, "x")).executeRequest(
                .get(Self.url) |> sink)
        else {
            Issue.record("it did not fail")
            return
        }
        #expect(failure.underlying is Full)
        #expect(abandoned.withLock { $0 })
    }

    @Test func `a cancelled call gets nothing, and uses no entry`() {
        let client = client(.of(url: Self.url))
        let token = CancellationToken()
        token.cancel()
        guard case .failure(.cancelled) = token.run({ client.executeRequest(.get(Self.url)) }) else {
            Issue.record("it was answered")
            return
        }
        #expect(client.unused.count == 1)
    }

    @Test func `a call whose deadline has passed gets nothing, and uses no entry`() {
        let client = client(.of(url: Self.url))
        let outcome = CallDeadline(.zero).run { client.executeRequest(.get(Self.url)) }
        guard case .failure(.timedOut(let failure)) = outcome else {
            Issue.record("it was answered")
            return
        }
        #expect(failure.limit == .total && failure.duration == .zero)
        #expect(client.unused.count == 1)
    }

    @Test func `the time that is left is part of the request that is compared`() throws {
        let hasTime = ArchiveMatcher.Aspect("time left") { "\($0.headers.contains { $0.name == "Time-Left-Ms" })" }
        var entry = HTTPArchive.Entry.of(url: Self.url)
        entry.request.headers = [HTTPArchive.Parameter("Time-Left-Ms", "5000")]
        let client = client(entry, options: .init(matcher: ArchiveMatcher(hasTime)))
        #expect(client.executeRequest(.get(Self.url)).message.contains("no answer"))
        let step = RequestStep.sendingDeadline(as: "Time-Left-Ms")
        #expect(try client.send(.get(Self.url) |> .timeout(.seconds(60)) |> step).status == .ok)
    }

    @Test func `trailers come behind the end of a body, and count as fields`() throws {
        var entry = HTTPArchive.Entry.of(url: Self.url, 200, "abc")
        entry.response.trailers = [HTTPArchive.Parameter("X-T", String(repeating: "3", count: 200))]
        let client = client(entry, options: .init(matcher: ArchiveMatcher(.url), repeats: .last))
        #expect(try client.get(Self.url).trailers.count == 1)
        #expect(try client.send(.head(Self.url)).trailers.isEmpty)
        let enough = RequestStep.destination(.stream { _ in BodySink { _ in throw StopReading() } })
        #expect(try client.get(Self.url, enough).trailers.isEmpty)
        #expect(client.executeRequest(.get(Self.url) |> .headerLimit(150)).message.contains("150"))
    }

    @Test func `an observer sees how each exchange ends`() {
        let (begun, failed) = (Locked(0), Locked(0))
        let observing = Interceptor.observing { event in
            if case .attemptStarted = event { begun.withLock { $0 += 1 } }
            guard case .attemptFinished(let attempt, _) = event, case .failed = attempt.outcome else { return }
            failed.withLock { $0 += 1 }
        }
        let client = client(.of(url: Self.url, 200, "0123456789")).intercepted(by: observing)
        _ = client.executeRequest(.get(Self.url) |> .bodyLimit(9))
        _ = client.executeRequest(.get("https://b.example/"))
        #expect(begun.withLock { $0 } == 2)
        #expect(failed.withLock { $0 } == 2)
    }

    @Test func `a sink that has seen enough gets no more, and the response says how much it got`() throws {
        let sink = RequestStep.destination(
            .stream { _ in BodySink { bytes in if bytes.count < 64 << 10 { throw StopReading() } } })
        let client = client(.of(url: Self.url, 200, String(repeating: "a", count: 100_000)))
        #expect(try client.get(Self.url, sink).bodyByteCount == 64 << 10)
    }

    @Test func `HEAD and 204 have no body, and keep the recorded length`() throws {
        let length = [HTTPArchive.Parameter("Content-Length", "12")]
        let client = client(.of("HEAD", url: Self.url, headers: length), .of(url: Self.url, 204))
        let head = try client.send(.head(Self.url))
        #expect(head.body.isEmpty)
        #expect(head.headers["Content-Length"] == "12")
        #expect(try client.get(Self.url).status == .noContent)
    }

    @Test func `an interrupted chain returns its entries`() {
        let location = [HTTPArchive.Parameter("Location", "/y")]
        let client = client(.of(url: Self.url, 302, headers: location))
        #expect(client.executeRequest(.get(Self.url)).message.contains("no answer to GET https://a.example/y"))
        #expect(client.unused.count == 1)
        #expect(throws: Never.self) { try client.get(Self.url, .redirects(.never)) }
    }

    @Test func `a call without an answer returns its entries, but not those that earlier calls used`() {
        var cut = HTTPArchive.Entry.of(url: Self.url, headers: [HTTPArchive.Parameter("Content-Length", "9")])
        cut.response.content = HTTPArchive.Content(size: 9)
        let incomplete = client(cut)
        #expect(incomplete.executeRequest(.get(Self.url)).message.contains("was not kept"))
        #expect(incomplete.unused.count == 1)
        let location = [HTTPArchive.Parameter("Location", "/y")]
        var other = HTTPArchive.Entry.of(url: Self.url, 307, headers: location)
        other.request.headers = [HTTPArchive.Parameter("X-Once", "1")]
        let led = client(other, options: .init(matcher: ArchiveMatcher(.header("X-Once"), .path), repeats: .last))
        let marked = RequestStep.header("X-Once", "1")
        #expect(throws: Never.self) { try led.get(Self.url, marked |> .redirects(.never)) }
        #expect(led.executeRequest(.get(Self.url) |> marked).message.contains("no answer"))
        #expect(led.unused.isEmpty)
    }

    @Test func `a body that cannot be read fails the call, as on the wire`() {
        let client = client(.of("PUT", url: Self.url, 204))
        guard case .failure(.body(let failure)) = client.executeRequest(.put(Self.url) |> .body(.file("/no/such/file")))
        else {
            Issue.record("it was answered")
            return
        }
        #expect(failure.reason == .unreadableFile)
        #expect(client.unused.count == 1)
    }

    @Test func `recorded cookies get into the jar and are sent again`() throws {
        let set = [HTTPArchive.Parameter("Set-Cookie", "n=1; Path=/")]
        let matcher = ArchiveMatcher(.method, .url, .header("Cookie"))
        let jar = CookieJar()
        var second = HTTPArchive.Entry.of(url: Self.url, 200, "again")
        second.request.headers = [HTTPArchive.Parameter("Cookie", "n=2")]
        let client = client(
            .of(url: Self.url, 200, "first", headers: set), second, options: .init(matcher: matcher))
        #expect(try client.get(Self.url, .cookies(jar)).content == "first")
        #expect(try client.get(Self.url, .cookies(jar)).content == "again")
        #expect(client.executeRequest(.get("https://b.example/x") |> .cookies(jar)).message.contains("URL is"))
    }

    @Test func `a matcher compares only its aspects`() throws {
        let entries = [
            HTTPArchive.Entry.of(url: "https://a.example/x?t=1&page=1", 200, "one"),
            HTTPArchive.Entry.of(url: "https://a.example/x?t=2&page=2", 200, "two"),
        ]
        func ask(_ url: String, _ matcher: ArchiveMatcher) -> Result<Response, HTTPError> {
            ReplayClient(HTTPArchive(entries: entries), options: .init(matcher: matcher)).executeRequest(.get(url))
        }
        #expect(try ask("https://a.example/x?page=2&t=9", ArchiveMatcher(.url(ignoring: ["t"]))).get().content == "two")
        #expect(try ask("http://b.example/x", ArchiveMatcher(.path)).get().content == "one")
        let page = ArchiveMatcher.Aspect("page") { $0.queryString.first { $0.name == "page" }?.value ?? "none" }
        #expect(try ask("https://c.example/y?page=2", ArchiveMatcher(page)).get().content == "two")
        #expect(
            ask("https://c.example/y", ArchiveMatcher(page)).message.contains(#"page is "none" and was "1""#))
    }

    @Test func `the nearest entry is that with the fewest differences, shown without secrets`() {
        let json = HTTPArchive.PostData(mimeType: "application/json", text: #"{"b":1,"a":[1,2]}"#)
        let client = client(
            .of(url: "https://z.example/"), .of("POST", url: Self.url, body: json), .of("PUT", url: Self.url))
        let step = RequestStep.text(#"{"a":[1,3],"b":1}"#) |> .header("Content-Type", "application/json")
        let message = client.executeRequest(.post(Self.url) |> step).message
        #expect(
            message.contains(
                #"The nearest is entry 1, POST https://a.example/x: body is "{\"a\":[1,3],\"b\":1}""#
                    + #" and was "{\"a\":[1,2],\"b\":1}"."#), "\(message)")
        #expect(!client.executeRequest(.get(Self.url + "?token=abc")).message.contains("abc"))
        #expect(self.client().executeRequest(.get(Self.url)).message.contains("for it is empty"))
        // Also those of a browser's archive, which is not masked.
        let unmasked = self.client(.of("POST", url: Self.url + "?api_key=abc", body: json))
        let other = unmasked.executeRequest(.post(Self.url + "?api_key=abc") |> step).message
        #expect(other.contains("The nearest is entry 0, POST https://a.example/x?api_key=REDACTED"), "\(other)")
        #expect(!other.contains("abc"))
    }

    @Test func `a request without an answer is told by its type, with the nearest entry`() {
        let entry = HTTPArchive.Entry.of(url: Self.url, 200, "one")
        var cut = HTTPArchive.Entry.of(url: Self.url + "/cut")
        cut.response.content = HTTPArchive.Content(size: 9)
        let client = client(entry, cut)
        #expect(throws: Never.self) { try client.get(Self.url) }
        for (path, nearest) in [("/y", entry), ("", entry), ("/cut", cut)] {
            guard case .failure(.other(let missing as NotRecorded)) = client.executeRequest(.get(Self.url + path))
            else {
                Issue.record("it was answered: \(path)")
                continue
            }
            #expect(missing.nearest?.request.url == nearest.request.url)
            #expect(missing.request.url.string == Self.url + path)
            #expect(!missing.wasSent && "\(missing)".hasPrefix("the recording "), "\(missing)")
        }
        guard case .failure(.other(let missing as NotRecorded)) = self.client().executeRequest(.get(Self.url)) else {
            Issue.record("it was answered")
            return
        }
        #expect(missing.nearest == nil)
    }

    @Test(arguments: ["text/plain; charset=ISO-8859-1", "text/plain;charset=\"iso-8859-1\"; x=y"])
    func `text is declared and returned as UTF-8, whatever its original charset`(type: String) throws {
        let entry = HTTPArchive.Entry.of(
            url: Self.url, 200, "é", headers: [HTTPArchive.Parameter("Content-Type", type)])
        let response = try client(entry).get(Self.url)
        #expect(response.body == Data("é".utf8))
        let field = try #require(response.headers["Content-Type"])
        #expect(MediaType(field)?.charset == "utf-8", "\(field)")
        #expect(MediaType(field)?.essence == "text/plain", "\(field)")
    }

    @Test func `numbers that differ in their last digit are different bodies`() {
        let recorded = HTTPArchive.PostData(mimeType: "application/json", text: #"{"id":18446744073709551614}"#)
        let client = client(.of("POST", url: Self.url, body: recorded))
        let type = RequestStep.header("Content-Type", "application/json")
        #expect(throws: HTTPError.self) {
            try client.post(Self.url, .text(#"{"id":18446744073709551615}"#) |> type)
        }
        let same = RequestStep.text(#"{ "id": 18446744073709551614 }"#) |> type
        #expect(throws: Never.self) { try client.post(Self.url, same) }
    }

    @Test func `threads share the entries, each used once`() {
        let client = ReplayClient(
            HTTPArchive(entries: (0..<200).map { .of(url: Self.url, 200, "\($0)") }))
        let seen = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            guard let response = try? client.get(Self.url) else { return }
            seen.withLock { $0.append(response.content) }
        }
        #expect(Set(seen.withLock { $0 }).count == 200)
    }

    @Test func `an ambiguous recorded head fails as on the wire`() {
        let lengths = ["1", "2"].map { HTTPArchive.Parameter("Content-Length", $0) }
        var entry = HTTPArchive.Entry.of("HEAD", url: Self.url, headers: lengths)
        entry.response.content.text = nil
        guard case .failure(.protocolViolation) = client(entry).executeRequest(.head(Self.url)) else {
            Issue.record("it was taken")
            return
        }
    }
}
