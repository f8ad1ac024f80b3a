import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import Foundation
import HTTPCore
import HTTPTesting
import Testing

/// A service that accepts only the token it issued last.
private final class Service: Sendable {
    let good = Locked("good-0")
    let refreshes = Tally()
    let seen = Notes<String?>()

    var client: StubClient {
        StubClient { request in
            let sent = request.headers["Authorization"]
            self.seen.note(sent)
            let isGood = sent == "Bearer " + self.good.withLock { $0 }
            return .success(Response(request: request, status: isGood ? .ok : .unauthorized))
        }
    }

    func refresh(_ old: String?) -> String {
        let token = "good-\(refreshes.add())"
        good.withLock { $0 = token }
        return token
    }
}

@Suite struct BearerTests {
    private let service = Service()

    private func tokens(
        _ token: String?, window: BearerTokens.RefreshWindow = .init(), refresh: BearerTokens.Refresh? = nil
    ) -> BearerTokens {
        BearerTokens(
            token, window: window,
            refresh: refresh ?? { [service] in service.refresh($0) })
    }

    private func client(_ tokens: BearerTokens, _ clock: TestClock? = nil) -> any HTTPClient {
        (clock?.around(service.client) ?? service.client).intercepted(by: .bearer(tokens))
    }

    @Test func `every request carries the token`() throws {
        let response = try client(tokens("good-0")).send(.get("http://h"))
        #expect(response.status == .ok)
        #expect(service.seen.all == ["Bearer good-0"] && service.refreshes.count == 0)
    }

    @Test func `an empty token, and a scheme that is none, are errors that say so`() {
        for (tokens, words) in [(BearerTokens(""), "are empty"), (BearerTokens("t", scheme: "a b"), "scheme \"a b\"")] {
            let error = client(tokens).executeRequest(.get("http://h")).failure
            #expect(error?.description.contains(words) == true)
        }
        #expect(service.seen.all.isEmpty)
    }

    @Test func `a refused token is refreshed, and the request sent once more`() throws {
        let asked = Notes<String?>()
        let tokens = tokens("old") { [service] old in
            asked.note(old)
            return service.refresh(old)
        }
        let response = try client(tokens).send(.post("http://h") |> .text("x"))
        #expect(response.status == .ok && response.metrics.attemptCount == 2)
        #expect(response.request.body == .text("x"))
        #expect(service.seen.all == ["Bearer old", "Bearer good-1"])
        #expect(asked.all == ["old"])
        #expect(tokens.current == "good-1")
    }

    @Test(arguments: [true, false])
    func `a refresh whose connection failed is repeated with a call behind a retry, and ends one before it`(
        isBehind: Bool
    ) throws {
        let login = StubClient().on(.post, "/token", answer: .failure(.connection(.refused)).then(.text("good-0")))
        let tokens = BearerTokens("old") { _ in
            String(decoding: try login.send(.post("http://login/token")).body, as: UTF8.self)
        }
        let stub = StubClient()
            .on(.get, "/a", .header("Authorization", "Bearer good-0"), answer: .ok)
            .on(.get, "/a", answer: .status(.unauthorized))
        let interceptors: [Interceptor] = isBehind ? [.retry(), .bearer(tokens)] : [.bearer(tokens), .retry()]
        let result = stub.intercepted(by: Interceptor(interceptors)).executeRequest(.get("http://h/a"))
        #expect(login.requestCount == (isBehind ? 2 : 1))
        #expect(stub.requestCount == (isBehind ? 3 : 1))
        if isBehind { return #expect(try result.get().status == .ok) }
        guard case .failure(.connection) = result else { return unexpected(result) }
    }

    @Test func `without a token the first call requests one`() throws {
        #expect(try client(tokens(nil)).send(.get("http://h")).status == .ok)
        #expect(service.seen.all == ["Bearer good-1"])
    }

    @Test func `a second 401 is the response`() throws {
        let response = try client(tokens("old") { _ in "bad" }).send(.get("http://h"))
        #expect(response.status == .unauthorized && response.metrics.attemptCount == 2)
        #expect(service.seen.all == ["Bearer old", "Bearer bad"])
    }

    @Test func `a single-use body is not sent again, and the 401 is the response`() throws {
        let once = RequestBody.stream(replayable: false) { .data(Data("x".utf8)) }
        let response = try client(tokens("old")).send(.post("http://h") |> .body(once))
        #expect(response.status == .unauthorized)
        #expect(service.seen.all == ["Bearer old"])
    }

    @Test func `after a refused single-use body the next call refreshes the token`() throws {
        func upload() -> MutableRequest {
            .post("http://h") |> .body(.stream(replayable: false) { .data(Data("x".utf8)) })
        }
        let tokens = tokens("old")
        let client = client(tokens)
        #expect(try client.send(upload()).status == .unauthorized)
        #expect(service.refreshes.count == 0 && tokens.current == "old")
        #expect(try client.send(upload()).status == .ok)
        #expect(service.refreshes.count == 1 && tokens.current == "good-1")
        #expect(service.seen.all == ["Bearer old", "Bearer good-1"])
        // Without a refresh it stays.
        let fixed = self.client(BearerTokens("old"))
        for _ in 1...2 {
            let answer = try fixed.send(upload())
            #expect(answer.status == .unauthorized && !answer.metrics.isRefreshRefused)
        }
        #expect(try !fixed.send(.get("http://h")).metrics.isRefreshRefused)
        #expect(service.seen.all.suffix(3) == ["Bearer old", "Bearer old", "Bearer old"])
    }

    @Test func `a refusal turned into an error by validation is recognized`() {
        let client = service.client.intercepted(by: .bearer(tokens("old")), .validate())
        #expect(client.executeRequest(.get("http://h")).failure == nil)
        #expect(service.refreshes.count == 1)
    }

    @Test func `a request with its own credentials is left alone`() throws {
        let response = try client(tokens("good-0")).send(.get("http://h") |> .basic(user: "a", password: "b"))
        #expect(response.status == .unauthorized)
        #expect(service.seen.all == ["Basic YTpi"] && service.refreshes.count == 0)
    }

    @Test func `a 401 to a request that lost the token on a redirect refreshes nothing`() throws {
        let stub = StubClient { _ in
            guard let other = try? Request(.get("http://other/")) else { return .failure(.cancelled(nil)) }
            return .success(Response(request: other, status: .unauthorized))
        }
        #expect(try stub.intercepted(by: .bearer(tokens("old"))).send(.get("http://h")).status == .unauthorized)
        #expect(service.refreshes.count == 0)
    }

    @Test(arguments: [HTTPMethod.post, .delete], [true, false])
    func `behind a redirect only the refused request is sent again`(_ method: HTTPMethod, isReplayable: Bool) throws {
        let stub = StubClient()
            .on(method, "/orders", answer: .redirect(to: "/orders/1", status: .seeOther))
            .on(.get, "/orders/1", .header("Authorization", "Bearer good-1"), answer: .ok)
            .on(.get, "/orders/1", answer: .status(.unauthorized))
        let body = RequestBody.stream(replayable: isReplayable) { .data(Data("one pizza".utf8)) }
        let response = try stub.intercepted(by: .bearer(tokens("old")))
            .send(MutableRequest(method, "http://h/orders") |> .body(body))
        #expect(response.status == .ok && response.metrics.attemptCount == 3)
        let sent = stub.requests.map { "\($0.method) \($0.url.target) \($0.headers["Authorization"] ?? "")" }
        #expect(
            sent == [
                "\(method) /orders Bearer old", "GET /orders/1 Bearer old", "GET /orders/1 Bearer good-1",
            ])
        #expect(stub.requests.last?.body == Data())
        #expect(response.redirects.map(\.url.target) == ["/orders"])
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func `behind a policy that rewrites URLs the call begins anew, if it may be repeated`(_ method: HTTPMethod) throws {
        let stub = StubClient()
            .on(method, "/v1/a", answer: .redirect(to: "/v1/b", status: .temporaryRedirect))
            .on(method, "/v1/b", .header("Authorization", "Bearer good-1"), answer: .ok)
            .on(method, "/v1/b", answer: .status(.unauthorized))
        let prefix = Interceptor { request, next in
            var draft = MutableRequest(request)
            draft.url = "http://h/v1" + request.url.path
            return next.executeRequest(draft)
        }
        let client = stub.intercepted(by: .bearer(tokens("old")), prefix)
        let response = try client.send(MutableRequest(method, "http://h/a"))
        #expect(response.status == (method == .get ? .ok : .unauthorized))
        let sent = stub.requests.map { "\($0.url.target) \($0.headers["Authorization"] ?? "")" }
        let again = method == .get ? ["/v1/a Bearer good-1", "/v1/b Bearer good-1"] : []
        #expect(sent == ["/v1/a Bearer old", "/v1/b Bearer old"] + again)
        #expect(response.redirects.map(\.url.target) == ["/v1/a"])
    }

    @Test func `at another origin that may have the token, policies behind it add nothing to the second try`() throws {
        let stub = StubClient()
            .on(.get, "http://h/a", answer: .redirect(to: "http://other/b"))
            .on(.get, "http://other/b", .header("Authorization", "Bearer good-1"), answer: .ok)
            .on(.get, "http://other/b", answer: .status(.unauthorized))
        let client = stub.intercepted(by: .bearer(tokens("old")), .applying(.header("X-Key", "secret")))
        let redirects = RedirectPolicy(crossOriginHeaders: ["Authorization"])
        let response = try client.send(.get("http://h/a") |> .redirects(redirects))
        #expect(response.status == .ok && response.url.host == "other")
        #expect(stub.requests.map(\.url.host) == ["h", "other", "other"])
        #expect(stub.requests.map { $0.headers["X-Key"] } == ["secret", nil, nil])
    }

    @Test func `a token that is not a valid header is an invalid request`() {
        let error = client(tokens("a\r\nb")).executeRequest(.get("http://h")).failure
        guard case .invalidRequest = error else { return unexpected(error as Any) }
        #expect(service.seen.all.isEmpty)
    }

    @Test(arguments: ["", "a\r\nb", "a "])
    func `a refresh that brings an invalid token has failed, and the next call refreshes again`(_ bad: String) {
        let refreshes = Tally()
        let tokens = tokens(nil) { _ in refreshes.add() == 1 ? bad : "good-0" }
        let client = client(tokens)
        guard case .invalidRequest(let invalid) = client.executeRequest(.get("http://h")).failure else {
            Issue.record("the bad token was taken")
            return
        }
        #expect(invalid.reason.contains("refresh"))
        #expect(tokens.current == nil)
        #expect(service.seen.all.isEmpty)
        _ = client.executeRequest(.get("http://h"))
        #expect(tokens.current == "good-0")
        #expect(service.seen.all.count == 1)
    }

    @Test func `50 callers refused at once share one refresh, and each is sent once more`() {
        let refused = Tally()
        let service = service
        let tokens = tokens("old") { old in
            refused.wait(for: 50)
            return service.refresh(old)
        }
        // No call is answered before all have arrived, so all are refused for the old token.
        let gate = Interceptor { request, next in
            let outcome = next.executeRequest(request)
            if request.headers["Authorization"] == "Bearer old" {
                refused.add()
                refused.wait(for: 50)
            }
            return outcome
        }
        let client = service.client.intercepted(by: .bearer(tokens), gate)
        let statuses = Notes<HTTPStatus?>()
        let threads = (0..<50).map { _ in
            TestThread { statuses.note(try? client.get("http://h").status) }
        }
        for thread in threads { thread.join() }
        #expect(statuses.all.count == 50 && statuses.all.allSatisfy { $0 == .ok })
        #expect(service.refreshes.count == 1)
        #expect(service.seen.all.count { $0 == "Bearer old" } == 50)
        #expect(service.seen.all.count { $0 == "Bearer good-1" } == 50)
    }

    @Test func `a late 401 for an old token uses the new one without a refresh`() throws {
        let tokens = tokens("old")
        let service = service
        let late = Interceptor { request, next in
            let outcome = next.executeRequest(request)
            // Another call refreshes the token while this answer is on its way.
            if request.url.path == "/late", request.headers["Authorization"] == "Bearer old" {
                _ = service.client.intercepted(by: .bearer(tokens)).executeRequest(.get("http://h/other"))
            }
            return outcome
        }
        let response = try service.client.intercepted(by: .bearer(tokens), late).send(.get("http://h/late"))
        #expect(response.status == .ok)
        #expect(service.refreshes.count == 1)
        #expect(service.seen.all == ["Bearer old", "Bearer old", "Bearer good-1", "Bearer good-1"])
    }

    /// Callers that wait for a running refresh, which ends on `release`.
    private func blocked(
        _ count: Int, ending: Result<String, HTTPError>,
        _ body: (_ leader: CancellationToken, [CancellationToken]) -> Void
    ) -> [HTTPError?] {
        let begun = Tally()
        let release = Tally()
        let tokens = tokens(nil) { _ in
            begun.add()
            release.wait(for: 1)
            return try ending.get()
        }
        let client = client(tokens)
        let errors = Notes<(Int, HTTPError?)>()
        let cancels = (0...count).map { _ in CancellationToken() }
        let leader = TestThread { errors.note((0, cancels[0].run { client.executeRequest(.get("http://h")).failure })) }
        begun.wait(for: 1)
        let threads = (1...count).map { index in
            TestThread { errors.note((index, cancels[index].run { client.executeRequest(.get("http://h")).failure })) }
        }
        waited { tokens.waiting == count }
        body(cancels[0], Array(cancels.dropFirst()))
        release.add()
        for thread in threads + [leader] { thread.join() }
        return errors.all.sorted { $0.0 < $1.0 }.map(\.1)
    }

    @Test func `a failed refresh gives its error to all waiting calls`() {
        let errors = blocked(20, ending: .failure(.unsupported(Unsupported("the refresh", "it is over")))) { _, _ in }
        #expect(errors.count == 21)
        for error in errors {
            guard case .unsupported(let unsupported) = error else { return unexpected(error as Any) }
            #expect(unsupported.feature == "the refresh")
        }
        #expect(service.seen.all.isEmpty)
    }

    @Test(arguments: [CancellationError(), HTTPError.cancelled(nil)] as [any Error])
    func `a refresh that was cancelled cancels no call that waits for it`(reason: any Error) throws {
        let tokens = tokens("old") { _ in throw reason }
        let error = client(tokens).executeRequest(.get("http://h")).failure
        guard case .interceptor(let failure) = error else { return unexpected(error as Any) }
        #expect(failure.source == .tokenRefresh && type(of: failure.underlying) == type(of: reason))
        #expect(service.seen.all == ["Bearer old"])
    }

    @Test func `a caller that is cancelled while it waits does not affect the others`() {
        let errors = blocked(10, ending: .success("good-0")) { _, followers in followers[3].cancel() }
        for (index, error) in errors.enumerated() {
            if index == 4 {
                guard case .cancelled(let record?) = error else { return unexpected(error as Any) }
                #expect(record.phase == .authorizing)
            } else {
                #expect(error == nil)
            }
        }
        #expect(service.seen.all.count == 10)
    }

    @Test func `the refreshing call completes the refresh, cancelled or not`() {
        let errors = blocked(10, ending: .success("good-0")) { leader, _ in leader.cancel() }
        #expect(errors.dropFirst().allSatisfy { $0 == nil })
    }

    @Test(arguments: ["good-0", nil])
    func `a call that was cancelled before requests no token and sends nothing`(token: String?) {
        let cancelled = CancellationToken()
        cancelled.cancel()
        let error = cancelled.run { client(tokens(token)).executeRequest(.get("http://h")).failure }
        guard case .cancelled(let record?) = error else { return unexpected(error as Any) }
        #expect(record.phase == .authorizing)
        #expect(service.refreshes.count == 0 && service.seen.all.isEmpty)
    }

    @Test func `the refresh runs under neither the token nor the deadline of the call`() {
        let seen = Notes<(CancellationToken?, Duration?)>()
        let tokens = tokens(nil) { _ in
            seen.note((CancellationToken.current, CallDeadline.current?.allowance))
            return "good-0"
        }
        _ = CancellationToken().run { client(tokens).executeRequest(.get("http://h") |> .timeout(.seconds(5))) }
        #expect(seen.all.first?.0 == nil && seen.all.first?.1 == .seconds(30))
    }

    @Test func `a call that waits for a refresh keeps its own timeout`() {
        let clock = TestClock(manual: true)
        let begun = Tally()
        let release = Tally()
        let tokens = tokens(nil) { _ in
            begun.add()
            release.wait(for: 1)
            return "good-0"
        }
        let client = client(tokens, clock)
        let leader = TestThread { _ = client.executeRequest(.get("http://h")) }
        begun.wait(for: 1)
        let errors = Notes<HTTPError?>()
        let follower = TestThread {
            errors.note(client.executeRequest(.get("http://h") |> .timeout(.seconds(3))).failure)
        }
        clock.asleep.wait(for: 1)
        clock.advance(by: .seconds(3))
        follower.join()
        release.add()
        leader.join()
        guard case .timedOut(let failure) = errors.all.first else { return unexpected(errors.all) }
        #expect(failure.limit == .total && failure.duration == .seconds(3))
        #expect("\(HTTPError.timedOut(failure))".contains("timed out while waiting for a token"))
    }

    @Test(arguments: ["old", nil])
    func `a refresh through its own client fails and says so`(_ token: String?) {
        let box = Locked<(client: any HTTPClient, tokens: BearerTokens)?>(nil)
        let tokens = tokens(token) { [service] _ in
            service.refreshes.add()
            guard let (client, tokens) = box.withLock({ $0 }) else { return "x" }
            // Also if no refresh seems to be running any more.
            if token == nil { tokens.set(nil) }
            try client.get("http://h/token")
            return "new"
        }
        let client = client(tokens)
        box.withLock { $0 = (client, tokens) }
        defer { box.withLock { $0 = nil } }
        let error = client.executeRequest(.get("http://h")).failure
        guard case .other(let fault as PolicyFault) = error else { return unexpected(error as Any) }
        #expect(fault.kind == .waitsForItself && fault.record?.phase == .authorizing)
        let verb = token == nil ? "was not sent" : "failed"
        #expect("\(fault)".hasPrefix("GET http://h/token \(verb): the policy BearerPolicy would wait for itself"))
        #expect(service.refreshes.count == 1)
    }

    @Test func `too many refreshes in a short time are stopped, and the 401 is the response`() throws {
        let clock = TestClock()
        let tokens = tokens("bad-0", window: .init(limit: 2, interval: .seconds(30))) {
            [service] _ in "bad-\(service.refreshes.add())"
        }
        let client = client(tokens, clock)
        let lines = Notes<String>()
        let logged = client.intercepted(by: .log { lines.note($0) })
        let answers = try (0..<4).map { _ in try logged.send(.get("http://h")) }
        #expect(answers.map(\.status) == Array(repeating: .unauthorized, count: 4))
        #expect(service.refreshes.count == 2)
        #expect(answers.map(\.metrics.isRefreshRefused) == [false, false, true, true])
        #expect(answers.map(\.history.isRefreshRefused) == [false, false, true, true])
        #expect(lines.all.map { $0.hasSuffix(", token refresh refused by its window") } == [false, false, true, true])
        let error = try #require(throws: HTTPError.self) { try client.send(.get("http://h")).validated() }
        #expect("\(error)".hasSuffix("because BearerTokens.RefreshWindow allows no more refreshes for now"))
        clock.advance(by: .seconds(31))
        _ = client.executeRequest(.get("http://h"))
        #expect(service.refreshes.count == 3)
    }

    @Test func `a token requested too often in vain gives the last error`() {
        let tokens = tokens(nil, window: .init(limit: 1)) { [service] _ in
            service.refreshes.add()
            throw HTTPError.unsupported(Unsupported("the refresh", "nobody is logged in"))
        }
        for _ in 0..<3 {
            guard case .unsupported(let error) = client(tokens).executeRequest(.get("http://h")).failure else {
                return unexpected("no")
            }
            #expect(error.reason == "nobody is logged in")
        }
        #expect(service.refreshes.count == 1)
    }

    @Test(arguments: [true, false])
    func `calls that wait for a refresh that hangs use a newer token, set or of a later refresh`(isSet: Bool) throws {
        let (begun, release) = (Tally(), Tally())
        let tokens = tokens("old") { [service] old in
            guard begun.add() == 1 else { return service.refresh(old) }
            release.wait(for: 1)
            return "late"
        }
        let clock = TestClock(manual: true)
        let client = client(tokens, clock)
        let statuses = Notes<HTTPStatus?>()
        func call() -> TestThread {
            TestThread { statuses.note(try? client.send(.get("http://h") |> .timeout(nil)).status) }
        }
        let leader = call()
        begun.wait(for: 1)
        let follower = call()
        waited { tokens.waiting == 1 }
        if isSet {
            tokens.set("good-0")
        } else {
            clock.advance(by: .seconds(31))
            #expect(try client.send(.get("http://h")).status == .ok)
        }
        #expect(waited(atMost: .seconds(20)) { statuses.all == [.ok] })
        release.add()
        for thread in [leader, follower] { thread.join() }
        #expect(statuses.all == [.ok, .ok] && tokens.current == (isSet ? "good-0" : "good-1"))
        #expect(service.seen.all.count { $0 == "Bearer old" } == (isSet ? 2 : 3))
        #expect(service.seen.all.allSatisfy { $0 != "Bearer late" } && service.refreshes.count == (isSet ? 0 : 1))
    }

    @Test func `a token set during a refresh stays`() throws {
        let box = Locked<BearerTokens?>(nil)
        let tokens = tokens("old") { _ in
            box.withLock { $0 }?.set("good-0")
            return "of the old user"
        }
        box.withLock { $0 = tokens }
        defer { box.withLock { $0 = nil } }
        _ = client(tokens).executeRequest(.get("http://h"))
        #expect(tokens.current == "good-0")
        #expect(try client(tokens).send(.get("http://h")).status == .ok)
        tokens.set(nil)
        #expect(tokens.current == nil)
    }

    @Test func `a token set during a refresh serves the calls that wait for it, though it fails`() throws {
        let box = Locked<BearerTokens?>(nil)
        let tokens = tokens("old") { _ in
            box.withLock { $0 }?.set("good-0")
            throw HTTPError.unsupported(Unsupported("the refresh", "it is over"))
        }
        box.withLock { $0 = tokens }
        defer { box.withLock { $0 = nil } }
        #expect(try client(tokens).send(.get("http://h")).status == .ok)
        #expect(service.seen.all == ["Bearer old", "Bearer good-0"])
    }

    @Test func `the error of a refresh may use the tokens in its deinitializer`() {
        final class Problem: Error, Sendable {
            private let onDeinit: @Sendable () -> Void
            init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }
            deinit { onDeinit() }
        }
        let box = Locked<BearerTokens?>(nil)
        let ends = Notes<String?>()
        let tokens = tokens(nil) { _ in throw Problem { ends.note(box.withLock { $0 }?.current) } }
        box.withLock { $0 = tokens }
        defer { box.withLock { $0 = nil } }
        _ = client(tokens).executeRequest(.get("http://h"))
        tokens.set("good-0")
        #expect(ends.all == ["good-0"])
    }

    @Test func `64 threads with changing tokens all succeed, with one refresh per change`() {
        let service = service
        let tokens = tokens("good-0", window: .init(limit: .max))
        let client = client(tokens)
        let failures = Tally()
        for round in 0..<5 {
            service.good.withLock { $0 = "revoked \(round)" }
            let threads = (0..<64).map { _ in
                TestThread {
                    for _ in 0..<5 where (try? client.get("http://h").status) != .ok { failures.add() }
                }
            }
            for thread in threads { thread.join() }
        }
        #expect(failures.count == 0)
        #expect(service.refreshes.count == 5)
    }
}
