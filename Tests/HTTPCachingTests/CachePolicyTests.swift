import TestSupport
@testable import HTTPCaching
import HTTPPolicies
import HTTPSupport
import Foundation
import HTTPTesting
import Testing

import HTTPCore

/// Calls through a cache, with either store, in simulated time.
@Suite struct CachePolicyTests {
    enum StoreKind: CaseIterable { case memory, directory }

    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    private func cache(_ kind: StoreKind, megabytes: Int = 8) -> HTTPCache {
        switch kind {
        case .memory: .memory(megabytes: megabytes)
        case .directory: .directory(scratch.file("cache"), megabytes: megabytes)
        }
    }

    private func fresh(_ text: String = "a", _ seconds: Int = 60) -> StubAnswer {
        .text(text).header("Cache-Control", "max-age=\(seconds)")
    }

    private static let url = "http://h/a"

    @Test(arguments: StoreKind.allCases)
    func `a fresh response is reused and shows its age`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh("hello").header("ETag", "\"1\""))
        let client = stub.intercepted(by: .cache(cache(kind)))
        let first = try client.send(.get(Self.url))
        #expect(first.cacheStatus?.forward == .uriMiss && first.cacheStatus?.isStored == true)
        #expect(first.headers["Age"] == nil && first.cacheStatus?.timeToLive == .seconds(60))
        stub.time.advance(by: .seconds(7))
        let second = try client.send(.get(Self.url))
        #expect(stub.requestCount == 1)
        #expect(try second.text() == "hello" && second.headers["Age"] == "7")
        #expect(second.cacheStatus?.description == "straightline; hit; ttl=53" && second.metrics.attemptCount == 0)
        #expect(second.cacheStatus?.storedMetrics?.attemptCount == 1 && second.cacheStatus?.isFromStore == true)
        #expect(second.body.startIndex == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a cancelled call gets no stored response either`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh())
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        let token = CancellationToken()
        token.cancel()
        let error = token.run { client.executeRequest(.get(Self.url)).failure }
        guard case .cancelled(let record?) = error else { return unexpected(error as Any) }
        #expect(record.phase == .queued && record.metrics.attemptCount == 0)
        #expect(try client.send(.get(Self.url)).cacheStatus?.isFromStore == true)
        #expect(stub.requestCount == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a response to credentials of Digest, which no other request has, is not stored`(kind: StoreKind) throws {
        let stub = StubClient().on(
            .get, "/a",
            answer: .sequence([
                .status(.unauthorized, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#]),
                fresh().header("Cache-Control", "public"),
            ]))
        let cache = cache(kind)
        let origin = Origin(scheme: .http, host: "h")
        let client = stub.intercepted(by: .cache(cache), .digest(user: "u", password: "p", for: origin))
        let response = try client.send(.get(Self.url))
        #expect(response.status == .ok && response.cacheStatus?.isStored == false && cache.entries.isEmpty)
        #expect(stub.requestCount == 2)
    }

    @Test func `a stored file that breaks off while it is delivered ends a stream, and no part comes twice`() throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 16)
        let stub = StubClient().on(.get, "/a", answer: fresh(text))
        let directory = scratch.file("cache")
        let client = stub.intercepted(by: .cache(.directory(directory, megabytes: 8)))
        _ = try client.send(.get(Self.url))
        let sizes = Notes<Int>()
        // What the first bytes find in the directory becomes too short.
        let stream = BodyDestination.stream { _ in
            BodySink { bytes in
                sizes.note(bytes.count)
                for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
                    let path = directory + "/" + name
                    guard try Data(contentsOf: URL(fileURLWithPath: path)).count > 500_000 else { continue }
                    let file = try #require(FileHandle(forWritingAtPath: path))
                    try file.truncate(atOffset: 300_000)
                    try file.close()
                }
            }
        }
        let result = client.executeRequest(.get(Self.url) |> .destination(stream))
        guard case .failure(.body(let failure)) = result else { return unexpected(result) }
        #expect("\(HTTPError.body(failure))".contains("broke off"))
        #expect(sizes.all.reduce(0, +) < 400_000 && stub.requestCount == 1)
        #expect(try client.send(.get(Self.url)).body.count == text.utf8.count && stub.requestCount == 2)
    }

    @Test func `a stored response to a POST is as old as its exchange took`() throws {
        let posted = fresh("posted", 30).header("Content-Location", "/a").taking(.seconds(25))
        let stub = StubClient().on(.post, "/a", answer: posted).on(.get, "/a", answer: fresh("got"))
        let client = stub.intercepted(by: .cache(cache(.memory)))
        #expect(try client.send(.post(Self.url) |> .text("x")).text() == "posted")
        stub.time.advance(by: .seconds(4))
        #expect(try client.send(.get(Self.url)).text() == "posted")
        stub.time.advance(by: .seconds(2))
        #expect(try client.send(.get(Self.url)).text() == "got" && stub.requestCount == 2)
    }

    /// The client without a cache, and with one.
    private func withAndWithoutCache(_ client: any HTTPClient) -> [any HTTPClient] {
        [client, client.intercepted(by: .cache(cache(.memory)))]
    }

    @Test(arguments: [false, true])
    func `only a changed cookie breaks a cycle, with a cache as without`(bodyBreaksOff: Bool) throws {
        for (isNew, reason, count) in [
            (false, RedirectFailure.Reason.cycle(visits: 3), 4), (true, .tooMany(limit: 10), 11),
        ] {
            let number = Tally()
            let stub = StubClient().on(.get, "/a") { _ in
                number.add()
                let answer = StubAnswer.text("moved", status: .found).header("Location", "/a")
                    .header("Set-Cookie", "n=\(isNew ? number.count : 1); Path=/")
                return bodyBreaksOff ? answer.truncated(after: 2) : answer
            }
            for client in withAndWithoutCache(stub) {
                let before = stub.requestCount
                let result = client.executeRequest(.get(Self.url) |> .cookies(CookieJar()))
                guard case .failure(.redirect(let failure)) = result else { return unexpected(result) }
                #expect(failure.reason == reason && stub.requestCount == before + count)
            }
        }
    }

    @Test(arguments: [BodyDestination.memory, .discard])
    func `a redirect whose body breaks off is followed, with a cache as without`(_ place: BodyDestination) throws {
        let broken = StubAnswer.text("moved", status: .found).header("Location", "/b").header("Set-Cookie", "n=1")
            .header("Cache-Control", "max-age=60").truncated(after: 2)
        let stub = StubClient().on(.get, "/a", answer: broken).on(.get, "/b", answer: fresh("there"))
        for client in withAndWithoutCache(stub) {
            let jar = CookieJar()
            for _ in 1...2 {
                let response = try client.send(.get(Self.url) |> .destination(place) |> .cookies(jar))
                #expect(response.status == .ok && response.bodyByteCount == 5)
                #expect(response.redirects.map(\.location.string) == ["http://h/b"])
                #expect(jar.cookies.map(\.name) == ["n"])
            }
        }
        // What broke off is not stored; what it leads to is.
        #expect(stub.requests.map(\.url.path) == ["/a", "/b", "/a", "/b", "/a", "/b", "/a"])
    }

    @Test func `a redirect with a body beyond the limit is followed, and no other response that fails`() throws {
        let long = StubAnswer.text("moved", status: .found).header("Location", "/b")
        let stub = StubClient().on(.get, "/a", answer: long).on(.get, "/b", answer: fresh("up"))
            .on(.get, "/c", answer: fresh("broken").truncated(after: 2))
            .on(.get, "/d", answer: long.then(.failure(.connection(.refused))))
        for client in withAndWithoutCache(stub) {
            #expect(try client.send(.get(Self.url) |> .bodyLimit(3)).text() == "up")
            let result = client.executeRequest(.get("http://h/c"))
            guard case .failure(.truncatedBody) = result else { return unexpected(result) }
        }
        let client = stub.intercepted(by: .cache(cache(.memory)))
        #expect(try client.send(.get("http://h/d")).text() == "up")
        let result = client.executeRequest(.get("http://h/d"))
        guard case .failure(.connection) = result else { return unexpected(result) }
    }

    @Test(arguments: StoreKind.allCases)
    func `what policies behind the cache waited is no part of a response's age`(kind: StoreKind) throws {
        let unavailable = StubAnswer.status(.serviceUnavailable, headers: ["Retry-After": "30"])
        let stub = StubClient().on(.get, "/a", answer: unavailable.then(fresh("hello", 20).taking(.seconds(2))))
        let client = stub.intercepted(by: .cache(cache(kind)), .retry())
        let first = try client.send(.get(Self.url))
        #expect(first.metrics.attemptCount == 2 && first.cacheStatus?.timeToLive == .seconds(18))
        stub.time.advance(by: .seconds(17))
        #expect(try client.send(.get(Self.url)).headers["Age"] == "19" && stub.requestCount == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `nor does it keep a body for a file from being stored`(kind: StoreKind) throws {
        let unavailable = StubAnswer.status(.serviceUnavailable, headers: ["Retry-After": "30"])
        let stub = StubClient().on(
            .get, "/a",
            answer: unavailable.then(.text("hello").header("Cache-Control", "max-age=20, must-revalidate")))
        let client = stub.intercepted(by: .cache(cache(kind)), .retry())
        for isHit in [false, true] {
            let response = try client.send(.get(Self.url) |> .destination(.file(scratch.file("a"))))
            #expect(response.cacheStatus?.isHit == isHit)
            #expect(try String(contentsOf: URL(filePath: scratch.file("a")), encoding: .utf8) == "hello")
        }
        #expect(stub.requestCount == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a late response does not replace that to a later request`(kind: StoreKind) throws {
        let second = Locked<(@Sendable () -> Void)?>(nil)
        // The first request is answered when the second has been.
        let stub = StubClient().on(.get, "/a") { [answers = [fresh("old"), fresh("new")]] _ in
            guard let second = second.exchange(nil) else { return answers[1] }
            second()
            return answers[0]
        }
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = second.exchange {
            stub.time.advance(by: .seconds(3))
            let later = client.executeRequest(.get(Self.url) |> .header("Cache-Control", "no-cache"))
            #expect((try? later.get().body) == Data("new".utf8))
        }
        #expect(try client.send(.get(Self.url)).text() == "old")
        #expect(try client.send(.get(Self.url)).text() == "new" && stub.requestCount == 2)
    }

    @Test(arguments: [true, false])
    func `a response that another call stored between look-up and exchange is used`(isImmediate: Bool) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh("hello"))
        let store = LateStore(isImmediate: isImmediate)
        let cache = HTTPCache(store)
        let client = stub.intercepted(by: .cache(cache))
        store.duringNextLook { _ = try? client.send(.get(Self.url)) }
        let late = try client.send(.get(Self.url))
        #expect(try late.text() == "hello" && late.cacheStatus?.isFromStore == true)
        #expect(stub.requestCount == 1 && store.lookCount == 3 && cache.flights.count == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `a stale response is validated, and a 304 makes it fresh`(kind: StoreKind) throws {
        let stub = StubClient().on(
            .get, "/a",
            answer: fresh("hello").header("ETag", "\"1\"").header("Last-Modified", "Sun, 06 Nov 1994 08:00:00 GMT")
                .then(.status(.notModified, headers: ["Cache-Control": "max-age=100", "X": "new"])))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        stub.time.advance(by: .seconds(61))
        let second = try client.send(.get(Self.url))
        #expect(try second.text() == "hello" && second.status == .ok && second.headers["X"] == "new")
        #expect(second.headers["Age"] == nil)
        #expect(second.cacheStatus?.description == "straightline; fwd=stale; fwd-status=304; stored; ttl=100")
        #expect(second.request.headers.isEmpty && second.metrics.attemptCount == 1)
        #expect(stub.requests[1].request.headers["If-None-Match"] == "\"1\"")
        #expect(stub.requests[1].request.headers["If-Modified-Since"] == "Sun, 06 Nov 1994 08:00:00 GMT")
        stub.time.advance(by: .seconds(99))
        #expect(try client.send(.get(Self.url)).cacheStatus?.isHit == true)
        #expect(stub.requestCount == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a server that goes by dates is not asked for the date of another variant`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a") { request in
            let fields = request.request.headers
            guard !fields.contains("If-Modified-Since") else { return .status(.notModified) }
            let language = fields["Accept-Language"] ?? "none"
            return fresh(language).header("ETag", "\"\(language)\"").header("Vary", "Accept-Language")
                .header("Last-Modified", "Sun, 06 Nov 1994 08:00:00 GMT")
        }
        let client = stub.intercepted(by: .cache(cache(kind)))
        for (language, isHit) in [("de", false), ("en", false), ("en", true)] {
            let response = try client.send(.get(Self.url) |> .header("Accept-Language", language))
            #expect(try response.text() == language && response.cacheStatus?.isHit == isHit)
        }
        #expect(stub.requests.map { $0.request.headers["If-None-Match"] } == [nil, "\"de\""])
        #expect(stub.requests.allSatisfy { $0.request.headers["If-Modified-Since"] == nil })
    }

    @Test(arguments: StoreKind.allCases)
    func `a confirmation that is old itself shows its age`(kind: StoreKind) throws {
        let confirmed = StubAnswer.status(.notModified, headers: ["Cache-Control": "max-age=600", "Age": "500"])
        let stub = StubClient().on(.get, "/a", answer: fresh("hello").header("ETag", "\"1\"").then(confirmed))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        stub.time.advance(by: .seconds(61))
        let second = try client.send(.get(Self.url))
        #expect(second.headers.values(for: "Age") == ["500"] && second.cacheStatus?.age == .seconds(500))
        #expect(second.cacheStatus?.timeToLive == .seconds(100))
        stub.time.advance(by: .seconds(9))
        #expect(try client.send(.get(Self.url)).headers.values(for: "Age") == ["509"] && stub.requestCount == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a 304 with another strong tag has the whole response sent again`(kind: StoreKind) throws {
        let stub = StubClient().on(
            .get, "/a",
            answer: fresh("old").header("ETag", "\"1\"")
                .then(.status(.notModified, headers: ["Cache-Control": "max-age=60", "ETag": "\"2\""]))
                .then(fresh("new").header("ETag", "\"2\"")))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        stub.time.advance(by: .seconds(61))
        let second = try client.send(.get(Self.url))
        #expect(try second.text() == "new" && second.headers["ETag"] == "\"2\"")
        #expect(stub.requests.map { $0.request.headers["If-None-Match"] } == [nil, "\"1\"", nil])
        #expect(try client.send(.get(Self.url)).text() == "new" && stub.requestCount == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `nobody gets a body that is coded otherwise than its request says`(kind: StoreKind) throws {
        // As an engine does: a body is decoded unless the request has an Accept-Encoding.
        let stub = StubClient().on(.get, "/a") { request in
            fresh(request.request.headers["Accept-Encoding"].map { "coded for \($0)" } ?? "decoded")
                .header("Content-Encoding", "gzip").header("ETag", "\"1\"")
        }
        let client = stub.intercepted(by: .cache(cache(kind)))
        let raw = MutableRequest.get(Self.url) |> .contentDecoding(false)
        for isHit in [false, true] {
            for (request, text) in [(raw, "coded for identity"), (.get(Self.url), "decoded")] {
                let response = try client.send(request)
                #expect(try response.text() == text && response.cacheStatus?.isHit == isHit)
            }
        }
        #expect(stub.requestCount == 2 && stub.requests.allSatisfy { $0.request.headers["If-None-Match"] == nil })
    }

    @Test(arguments: StoreKind.allCases)
    func `several variants are kept`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a") { request in
            fresh(request.request.headers["A"] ?? "none").header("Vary", "A")
        }
        let client = stub.intercepted(by: .cache(cache(kind)))
        for value in ["1", "2", "3", "2", "1", "3"] {
            #expect(try client.send(.get(Self.url) |> .header("A", value)).text() == value)
        }
        #expect(stub.requestCount == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `a response for other credentials is never used`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a") { request in fresh(request.request.headers["Authorization"] ?? "none") }
        let client = stub.intercepted(by: .cache(cache(kind)))
        for token in ["Bearer a", "Bearer b", "Bearer a"] {
            #expect(try client.send(.get(Self.url) |> .header("Authorization", token)).text() == token)
        }
        #expect(try client.send(.get(Self.url)).text() == "none" && stub.requestCount == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `only-if-cached fails with its own error, and sends nothing`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh())
        let client = stub.intercepted(by: .cache(cache(kind)))
        let only = MutableRequest.get(Self.url) |> .header("Cache-Control", "only-if-cached")
        guard case .other(let failure as NotCached) = client.executeRequest(only).failure else {
            return unexpected("sent")
        }
        #expect(failure.reason == .uriMiss && failure.record?.authority == "h" && stub.requestCount == 0)
        #expect("\(HTTPError.other(failure))".contains("nothing is cached for it"))
        _ = try client.send(.get(Self.url))
        #expect(try client.send(only).text() == "a")
        let refusal = client.executeRequest(.get(Self.url) |> .header("Cache-Control", "no-store, only-if-cached"))
        #expect("\(refusal.failure.map { "\($0)" } ?? "")".contains("its own Cache-Control rules out what is cached"))
        guard
            case .other(let post as NotCached) = client.executeRequest(
                .post(Self.url) |> .header("Cache-Control", "only-if-cached")
            )
            .failure
        else { return unexpected("sent") }
        #expect(post.sentence == "it says only-if-cached, and its method is always sent; leave only-if-cached out")
        #expect(failure.sentence == "it says only-if-cached, and nothing is cached for it; leave only-if-cached out")
        #expect(stub.requestCount == 1)
    }

    @Test func `only-if-cached without a directory that can be used says why it cannot, and sends nothing`() throws {
        let stub = StubClient().on(.get, "/a", answer: fresh())
        let cache = HTTPCache.directory(try scratch.write([1], to: "file"))
        let outcome = stub.intercepted(by: .cache(cache)).executeRequest(
            .get(Self.url) |> .header("Cache-Control", "only-if-cached"))
        guard case .other(let failure as NotCached) = outcome.failure else { return unexpected(outcome) }
        #expect(failure.reason == .bypass && failure.detail == cache.problem && stub.requestCount == 0)
        let problem = try #require(cache.problem)
        #expect(
            failure.sentence
                == "it says only-if-cached, and the cache does not work: \(problem); leave only-if-cached out")
    }

    @Test(arguments: StoreKind.allCases)
    func `two variants of one tag are asked about by it once`(kind: StoreKind) throws {
        let stub = StubClient().on(
            .get, "/a", answer: fresh().header("Vary", "Accept-Language").header("ETag", "\"1\""))
        let client = stub.intercepted(by: .cache(cache(kind)))
        for language in ["de", "en", "fr"] {
            _ = try client.send(.get(Self.url) |> .header("Accept-Language", language))
        }
        #expect(stub.requests.map { $0.request.headers["If-None-Match"] } == [nil, "\"1\"", "\"1\""])
    }

    @Test(arguments: StoreKind.allCases)
    func `an unsafe method removes the responses that it invalidates`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh()).on(.get, "/b", answer: fresh())
            .on(.get, "http://other/a", answer: fresh())
            .on(
                .put, "/a", answer: .status(.internalServerError).then(.status(.noContent, headers: ["Location": "/b"]))
            )
        let client = stub.intercepted(by: .cache(cache(kind)))
        func hits() throws -> [Bool?] {
            try [Self.url, "http://h/b", "http://other/a"].map { try client.send(.get($0)).cacheStatus?.isHit }
        }
        _ = try hits()
        _ = try client.send(.put(Self.url))
        #expect(try hits() == [true, true, true])
        let put = try client.send(.put(Self.url))
        #expect(put.cacheStatus?.description == "straightline; fwd=method")
        #expect(try hits() == [false, false, true])
    }

    @Test(arguments: StoreKind.allCases)
    func `a stored response replaces a failure if the server allows it`(kind: StoreKind) throws {
        let stub = StubClient().on(
            .get, "/a",
            answer: .text("a").header("Cache-Control", "max-age=10, stale-if-error=50")
                .then(.status(.serviceUnavailable)).then(.failure(.connection(.refused))).then(.status(.notFound)))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        stub.time.advance(by: .seconds(20))
        for status in [HTTPStatus.serviceUnavailable, nil] as [HTTPStatus?] {
            let response = try client.send(.get(Self.url))
            #expect(try response.text() == "a" && response.headers["Age"] == "20")
            #expect(response.cacheStatus?.forward == .stale && response.cacheStatus?.forwardStatus == status)
            #expect(response.cacheStatus?.timeToLive == .seconds(-10))
        }
        #expect(try client.send(.get(Self.url)).status == .notFound)
    }

    @Test(arguments: StoreKind.allCases)
    func `a stored response without the range that is asked for replaces no failure, which is the answer`(
        kind: StoreKind
    ) throws {
        let stub = StubClient().on(
            .get, "/a",
            answer: .text("0123456789").header("Cache-Control", "max-age=10, stale-if-error=50")
                .then(.status(.serviceUnavailable, headers: ["Retry-After": "7"])).then(.status(.notFound)))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        stub.time.advance(by: .seconds(20))
        let response = try client.send(.get(Self.url) |> .header("Range", "bytes=100-"))
        #expect(response.status == .serviceUnavailable && response.headers["Retry-After"] == "7")
        #expect(stub.requestCount == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a stored response does not follow the part of another that a stream has had`(kind: StoreKind) throws {
        let stub = StubClient().on(
            .get, "/a",
            answer: .text("old").header("Cache-Control", "max-age=10, stale-if-error=50")
                .then(.text("newer").truncated(after: 3)))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        stub.time.advance(by: .seconds(20))
        let pieces = Notes<Data>()
        let stream = BodyDestination.stream { _ in BodySink(write: { pieces.note(Data($0)) }) }
        guard case .truncatedBody = client.executeRequest(.get(Self.url) |> .destination(stream)).failure else {
            return unexpected(pieces.all)
        }
        #expect(Data(pieces.all.joined()) == Data("new".utf8))
        // Memory keeps nothing of the part.
        #expect(try client.send(.get(Self.url)).text() == "old")
    }

    @Test(arguments: StoreKind.allCases)
    func `a pinned response replaces failures without a time limit`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh().then(.failure(.connection(.unreachable))))
        let cache = cache(kind)
        let client = stub.intercepted(by: .cache(cache))
        #expect(try !cache.pin(HTTPURL(Self.url)))
        _ = try client.send(.get(Self.url))
        #expect(try cache.pin(HTTPURL(Self.url)))
        stub.time.advance(by: .seconds(9999))
        #expect(try client.send(.get(Self.url)).text() == "a")
        #expect(cache.entries.map(\.isPinned) == [true] && cache.entries.map(\.url) == [Self.url])
        #expect(try cache.unpin(HTTPURL(Self.url)))
        #expect(client.executeRequest(.get(Self.url)).failure != nil)
        try cache.remove(HTTPURL(Self.url))
        #expect(cache.entries.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a pin holds for the response after one that was removed, until it is undone`(kind: StoreKind) throws {
        let unstored = StubAnswer.text("b").header("Cache-Control", "no-store")
        let stub = StubClient().on(
            .get, "/a",
            answer: fresh().header("ETag", "\"1\"").then(unstored).then(fresh().header("ETag", "\"2\""))
                .then(unstored).then(fresh()))
        let (cache, url) = (cache(kind), try HTTPURL(Self.url))
        let client = stub.intercepted(by: .cache(cache))
        _ = try client.send(.get(Self.url))
        #expect(cache.pin(url))
        for isPinned in [true, false] {
            stub.time.advance(by: .seconds(61))
            #expect(try client.send(.get(Self.url)).text() == "b" && cache.entries.isEmpty)
            if !isPinned { #expect(!cache.unpin(url)) }
            #expect(try client.send(.get(Self.url)).text() == "a")
            #expect(cache.entries.map(\.isPinned) == [isPinned])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a pin outlives a response that an unsafe request makes outdated`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh()).on(.post, "/a", answer: .status(.noContent))
        let (cache, url) = (cache(kind), try HTTPURL(Self.url))
        let client = stub.intercepted(by: .cache(cache))
        _ = try client.send(.get(Self.url))
        #expect(cache.pin(url))
        _ = try client.send(.post(Self.url))
        #expect(cache.entries.isEmpty)
        _ = try client.send(.get(Self.url))
        #expect(cache.entries.map(\.isPinned) == [true])
        cache.remove(url)
        _ = try client.send(.get(Self.url))
        #expect(cache.entries.map(\.isPinned) == [false])
    }

    @Test(arguments: StoreKind.allCases)
    func `a response is used while it is validated, and without a loop the next call validates it`(kind: StoreKind)
        throws
    {
        let stub = StubClient().on(
            .get, "/a",
            answer: .text("old").header("Cache-Control", "max-age=10, stale-while-revalidate=50").header(
                "ETag", "\"1\""
            )
            .then(fresh("new")))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        stub.time.advance(by: .seconds(20))
        let second = try client.send(.get(Self.url))
        #expect(try second.text() == "old" && second.cacheStatus?.isHit == true && stub.requestCount == 1)
        #expect(try client.send(.get(Self.url)).text() == "new")
        #expect(stub.requests[1].request.headers["If-None-Match"] == "\"1\"")
    }

    @Test(arguments: StoreKind.allCases)
    func `a call that fails after the server has answered its unsafe request makes stored responses outdated`(
        kind: StoreKind
    ) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh())
            .on(.post, "/a", answer: .redirect(to: "/b", status: .seeOther)).on(
                .get, "/b", answer: .failure(.unknownHost)
            )
            .on(.put, "/a", answer: .redirect(to: "ftp://h/")).on(
                .patch, "/a", answer: .text("patched").truncated(after: 2)
            )
            .on(.delete, "/a", answer: .failure(.connection(.refused)))
            .on("MKCOL", "/a", answer: .text("too much"))
        let client = stub.intercepted(by: .cache(cache(kind)))
        for (method, isOutdated) in [(.post, true), (.put, true), (.patch, true), (.delete, false), ("MKCOL", true)]
            as [(HTTPMethod, Bool)]
        {
            _ = try client.send(.get(Self.url))
            #expect(client.executeRequest(MutableRequest(method, Self.url) |> .bodyLimit(7)).failure != nil)
            #expect(try client.send(.get(Self.url)).cacheStatus?.isHit == !isOutdated, "\(method)")
        }
    }

    // MARK: Redirects

    @Test(arguments: StoreKind.allCases)
    func `redirects are stored, followed and recorded`(kind: StoreKind) throws {
        let moved = StubAnswer.redirect(to: "/b", status: .movedPermanently).header("Cache-Control", "max-age=60")
        let stub = StubClient().on(.get, "/a", answer: moved).on(.get, "/b", answer: .text("b").header("ETag", "\"1\""))
        let client = stub.intercepted(by: .cache(cache(kind)))
        for attempts in [2, 1] {
            let response = try client.send(.get(Self.url))
            #expect(try response.text() == "b" && response.url.string == "http://h/b")
            #expect(response.redirects.map(\.url.string) == [Self.url] && response.metrics.attemptCount == attempts)
        }
        #expect(stub.requests(to: "/a").count == 1 && stub.requests(to: "/b").count == 2)
        let kept = try client.send(.get(Self.url) |> .redirects(.never))
        #expect(kept.status == .movedPermanently && kept.cacheStatus?.isHit == true)
    }

    @Test func `a redirect that must not be followed fails as without a cache`() throws {
        let stub = StubClient().on(.get, "/a", answer: .redirect(to: "/a"))
        let client = stub.intercepted(by: .cache(.memory(megabytes: 1)))
        let request = MutableRequest.get(Self.url)
        guard case .redirect(let failure) = client.executeRequest(request).failure,
            case .redirect(let plain) = stub.executeRequest(request).failure
        else { return unexpected("followed") }
        #expect(failure.reason == plain.reason && failure.status == plain.status)
        #expect(failure.record.redirects.count == plain.record.redirects.count)
    }

    @Test(arguments: StoreKind.allCases)
    func `a policy behind it that refuses statuses leaves it those that are answers to itself`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/old", answer: .redirect(to: "/a")).on(
            .get, "/a",
            answer: .text("a").header("Cache-Control", "max-age=60, stale-if-error=600").header("ETag", "\"1\"")
                .then(.status(.notModified)).then(.status(.serviceUnavailable)).then(.status(.notFound)))
        let client = stub.intercepted(by: .cache(cache(kind)), .validate())
        for summary in ["miss", "revalidated", "stale"] {
            let response = try client.send(.get("http://h/old"))
            #expect(try response.text() == "a" && response.cacheStatus?.summary == summary)
            stub.time.advance(by: .seconds(61))
        }
        let error = client.executeRequest(.get("http://h/old")).failure
        #expect(error?.status == .notFound && error?.response?.request.headers.isEmpty == true)
        #expect(error?.response?.redirects.map(\.url.string) == ["http://h/old"])
        let kept = client.executeRequest(.get("http://h/old") |> .redirects(.never))
        #expect(kept.failure?.status == .found)
    }

    // MARK: Bodies

    @Test(arguments: StoreKind.allCases)
    func `a stored 204 leaves the file of its request as it is`(kind: StoreKind) throws {
        let nothing = StubAnswer.status(.noContent, headers: ["Cache-Control": "max-age=60"])
        let stub = StubClient().on(.get, "/a", answer: nothing)
        let client = stub.intercepted(by: .cache(cache(kind)))
        let file = scratch.file("state.json")
        try Data("kept".utf8).write(to: URL(filePath: file))
        for isHit in [false, true] {
            let response = try client.send(.get(Self.url) |> .destination(.file(file)))
            #expect(response.status == .noContent && response.cacheStatus?.isHit == isHit)
            #expect(try Data(contentsOf: URL(filePath: file)) == Data("kept".utf8))
        }
        #expect(stub.requestCount == 1)
    }

    @Test func `a printed entry shows no secret of its URL`() throws {
        let cache = cache(.memory)
        _ = try StubClient().on(.get, "/a", answer: fresh("hello")).intercepted(by: .cache(cache))
            .send(.get(Self.url + "?token=s3cret"))
        #expect(cache.entries.map { "\($0)" } == ["200 http://h/a?token=<redacted>, 5 bytes"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a body for a file or a sink is stored, and delivered the same way from the store`(kind: StoreKind)
        throws
    {
        let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
        let stub = StubClient().on(
            .get, "/a",
            answer: .chunks([content.prefix(100_000), content.dropFirst(100_000)]).header("Cache-Control", "max-age=60")
        )
        let client = stub.intercepted(by: .cache(cache(kind)))
        let file = scratch.file("a.bin")
        for isHit in [false, true] {
            let response = try client.send(.get(Self.url) |> .destination(.file(file)))
            #expect(response.cacheStatus?.isHit == isHit && response.body.isEmpty)
            #expect(response.bodyByteCount == 300_000)
            #expect(try scratch.read("a.bin") == Array(content))
            try FileManager.default.removeItem(atPath: file)
        }
        #expect(try client.send(.get(Self.url)).body == content)
        let pieces = Notes<Data>()
        _ = try client.send(
            .get(Self.url) |> .destination(.stream { _ in BodySink(write: { pieces.note(Data($0)) }) }))
        #expect(Data(pieces.all.joined()) == content && stub.requestCount == 1)
        let part = try client.send(.get(Self.url) |> .header("Range", "bytes=299990-"))
        #expect(part.status == .partialContent && part.body == content.suffix(10))
        #expect(part.headers["Content-Range"] == "bytes 299990-299999/300000")
    }

    @Test(arguments: StoreKind.allCases)
    func `truncated, abandoned and oversized responses are not stored`(kind: StoreKind) throws {
        let big = Data(count: 300_000)
        let stub = StubClient()
            .on(.get, "/cut", answer: fresh("hello").truncated(after: 2).then(fresh("whole")))
            .on(.get, "/big", answer: .data(big).header("Cache-Control", "max-age=60"))
            .on(.get, "/stopped", answer: .data(big.prefix(9)).header("Cache-Control", "max-age=60"))
        let client = stub.intercepted(by: .cache(cache(kind, megabytes: 1)))
        #expect(client.executeRequest(.get("http://h/cut") |> .destination(.discard)).failure != nil)
        #expect(try client.send(.get("http://h/cut")).text() == "whole")
        for destination in [BodyDestination.memory, .discard] {
            let response = try client.send(.get("http://h/big") |> .destination(destination))
            #expect(response.cacheStatus?.isStored == false && response.bodyByteCount == 300_000)
        }
        #expect(stub.requests(to: "/big").count == 2)
        struct Full: Error {}
        let failing = BodyDestination.stream { _ in BodySink(write: { _ in throw Full() }) }
        #expect(client.executeRequest(.get("http://h/stopped") |> .destination(failing)).failure != nil)
        #expect(try client.send(.get("http://h/stopped")).cacheStatus?.isHit == false)
    }

    @Test(arguments: StoreKind.allCases)
    func `HEAD and the caller's own conditions are answered from the store`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh("hello").header("ETag", "\"1\""))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        let head = try client.send(.head(Self.url))
        #expect(head.status == .ok && head.body.isEmpty && head.headers["ETag"] == "\"1\"")
        let same = try client.send(.get(Self.url) |> .ifNoneMatch("\"0\"", "W/\"1\""))
        #expect(same.status == .notModified && same.body.isEmpty && same.headers["Content-Type"] == nil)
        #expect(try client.send(.get(Self.url) |> .ifNoneMatch("\"2\"")).text() == "hello")
        #expect(stub.requestCount == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a hit respects the limit of its own request`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/a", answer: fresh("hello"))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get(Self.url))
        guard case .limitExceeded(let failure) = client.executeRequest(.get(Self.url) |> .bodyLimit(4)).failure else {
            return unexpected("delivered")
        }
        #expect(failure.value == 4 && stub.requestCount == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `the failure of a hit behind a redirect names the redirect`(kind: StoreKind) throws {
        let stub = StubClient().on(.get, "/b", answer: fresh("hello")).on(.get, "/a", answer: .redirect(to: "/b"))
        let client = stub.intercepted(by: .cache(cache(kind)))
        _ = try client.send(.get("http://h/b"))
        struct Full: Error {}
        let failing = BodyDestination.stream { _ in BodySink(write: { _ in throw Full() }) }
        for step in [RequestStep.bodyLimit(4), .destination(failing)] {
            let error = client.executeRequest(.get(Self.url) |> step).failure
            #expect(error?.record?.redirects.map(\.url.string) == [Self.url])
        }
        #expect(stub.requests(to: "/b").count == 1)
    }

    @Test func `a batch has hits and misses, and answers all requests`() throws {
        let stub = StubClient().on(.get, "/{n}") { request in fresh(request["n"]) }
        let client = stub.intercepted(by: .cache(.memory(megabytes: 1)))
        let urls = (0..<20).map { "http://h/\($0 % 5)" }
        let results = client.executeRequests(urls.map { MutableRequest.get($0) })
        #expect(try results.map { try $0.get().text() } == urls.map { String($0.dropFirst(9)) })
        #expect(stub.requestCount == 5)
    }

    @Test func `a cache with an unusable directory lets calls pass and gives the reason`() throws {
        let file = try scratch.write([1], to: "file")
        let cache = HTTPCache.directory(file)
        let stub = StubClient().on(.get, "/a", answer: fresh())
        let client = stub.intercepted(by: .cache(cache))
        for _ in 0..<2 {
            let response = try client.send(.get(Self.url))
            #expect(response.cacheStatus?.forward == .bypass)
            #expect(response.cacheStatus?.detail?.contains("is not a directory") == true)
        }
        #expect(cache.problem != nil && stub.requestCount == 2 && cache.entries.isEmpty)
    }
}

/// A store in which something may happen between the start and the end of a look-up, or before and after something is
/// stored.
final class LateStore: CacheStore {
    private let store: any CacheStore
    private let looks = Locked<(count: Int, event: (@Sendable () -> Void)?)>((0, nil))
    private let storing = Locked<[@Sendable () -> Void]>([])
    let isImmediate: Bool

    init(isImmediate: Bool, _ store: any CacheStore = MemoryCacheStore(capacity: 1 << 20)) {
        (self.isImmediate, self.store) = (isImmediate, store)
    }

    func aroundNextStoring(_ before: @escaping @Sendable () -> Void, after: @escaping @Sendable () -> Void) {
        storing.withLock { $0 = [before, after] }
    }

    private func around(_ work: () -> CacheEntry?) -> CacheEntry? {
        let events = storing.exchange([])
        events.first?()
        defer { events.last?() }
        return work()
    }

    var lookCount: Int { looks.withLock { $0.count } }
    func duringNextLook(_ event: @escaping @Sendable () -> Void) { looks.withLock { $0.event = event } }

    func entries(for key: CacheKey) -> [CacheEntry] {
        let event = looks.withLock { looks in
            looks.count += 1
            return looks.event.take()
        }
        let entries = store.entries(for: key)
        event?()
        return entries
    }

    var largestBody: Int64 { store.largestBody }
    var problem: String? { nil }
    func mark(of key: CacheKey) -> UInt64 { store.mark(of: key) }
    func insert(_ response: CachedResponse, _ body: Data, of flight: CacheFlight?) -> CacheEntry? {
        around { store.insert(response, body, of: flight) }
    }
    func makeWriter(for key: CacheKey) -> (any CacheWriter)? { store.makeWriter(for: key) }
    func replace(_ old: CacheEntry, by new: CachedResponse, of flight: CacheFlight?) -> CacheEntry? {
        around { store.replace(old, by: new, of: flight) }
    }
    func remove(_ response: CachedResponse) { store.remove(response) }
    func removeAll(for key: CacheKey, keepsPin: Bool) { store.removeAll(for: key, keepsPin: keepsPin) }
    func removeAll() { store.removeAll() }
    func setPinned(_ isPinned: Bool, for key: CacheKey) -> Bool { store.setPinned(isPinned, for: key) }
    func list() -> [HTTPCache.Entry] { store.list() }
}
