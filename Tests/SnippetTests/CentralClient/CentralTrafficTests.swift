import Dispatch
import HTTPMockServer
import HTTPTesting
import Straightline
import Synchronization
import Testing

@Suite struct CentralTrafficTests {
    @Test func `no second sees more than five requests`() throws {
        let stub = StubClient().on(.get, "/orders", answer: .json(text: "[]"))
        let app = AppClient(over: stub)
        var times: [Duration] = []
        for page in 1...11 {
            _ = try app.service.call(.orders(page: page))
            times.append(stub.time.elapsed)
        }
        for (first, sixth) in zip(times, times.dropFirst(5)) { #expect(sixth - first >= .seconds(1)) }
        #expect(stub.requests.count == 11)
    }

    @Test func `the spinner counts running calls, and stops in the end`() async throws {
        let server = try MockServer { _ in .json(text: "[]") }
        let spinner = Spinner()
        let app = central(CurlTransport(), server, spinner: spinner)
        await withTaskGroup { group in
            for page in 0..<40 {
                group.addTask {
                    await withCheckedContinuation { done in
                        app.service.call(.orders(page: page), callbackQueue: .immediate) { _ in done.resume() }
                    }
                }
            }
        }
        let history = spinner.history
        #expect(history.count == 80 && history.last == 0 && !spinner.isTurning)
        #expect(history.allSatisfy { $0 >= 0 })
        #expect(zip([0] + history, history).allSatisfy { abs($0 - $1) == 1 })
        #expect(server.requestCount == 40)
    }

    @Test func `the spinner stops after failures, too`() {
        let spinner = Spinner()
        let app = central(StubClient.failing(.unsupported("this", "a test")), spinner: spinner)
        _ = try? app.service.call(.session)
        _ = try? app.logIn(email: "", password: "")
        #expect(spinner.history == [1, 0])
    }

    @Test func `one log has a line for each call, and no secret`() throws {
        let server = try MockServer { AppServer.answer($0) }
        let lines = Mutex<[String]>([])
        let app = AppClient(
            AppService(baseURL: server.url), over: CurlTransport(), limit: unlimited,
            log: { line in lines.withLock { $0.append(line) } })
        _ = try app.logIn(email: "a@b.c", password: "lovelace")
        _ = try app.service.call(.orders(page: 3))
        let log = lines.withLock { $0 }
        #expect(log.count == 3)
        #expect(log.last?.contains("/orders?device_type=linux&page=3 → 200") == true)
        #expect(!log.joined().contains("lovelace") && !log.joined().contains("t-1815"))
    }

    @Test func `the log shows separately how long a call waited for its turn`() throws {
        let stub = StubClient(strict: true).on("**", answer: .json(text: "[]").taking(.milliseconds(50)))
        let lines = Mutex<[String]>([])
        let app = AppClient(
            over: stub, limit: RateLimit(1, per: .seconds(1), burst: 1),
            log: { line in lines.withLock { $0.append(line) } })
        for _ in 0..<2 { _ = try app.service.call(.orders(page: 1)) }
        let log = lines.withLock(\.self)
        #expect(log[0].hasSuffix("200 in 50 ms, 2 bytes received") || log[0].contains("200 in 50 ms"))
        #expect(log[1].contains("200 in 1 s, 950 ms of it waiting"))
    }

    @Test func `a call completes although its caller has gone and cancelled`() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let server = try MockServer { request in
            mayAnswer.wait()
            // Time for a cancellation to come first, if there were one.
            return MockResponse.json(text: request.text).taking(.milliseconds(50))
        }
        let (outcomes, outcome) = AsyncStream<Result<Draft, HTTPError>>.makeStream()
        weak var gone: Screen?
        let token = CancellationToken()
        do {
            let screen = Screen(app: central(CurlTransport(), server))
            gone = screen
            token.run { screen.save("Dear Charles") { outcome.yield($0) } }
        }
        try await server.wait(for: .requests(1))
        token.cancel()
        #expect(gone == nil)
        mayAnswer.signal()
        let draft = try await outcomes.first { _ in true }?.get()
        #expect(draft == Draft(text: "Dear Charles"))
        #expect(server.requests.map(\.text) == [#"{"device_type":"linux","text":"Dear Charles"}"#])
    }

    @Test func `the demo runs`() throws { try Demo.main() }
}

/// A caller that may disappear.
private final class Screen: Sendable {
    let app: AppClient

    init(app: AppClient) { self.app = app }

    func save(_ text: String, then: @escaping @Sendable (Result<Draft, HTTPError>) -> Void) {
        app.service.detached.call(.save(Draft(text: text)), callbackQueue: .immediate, then)
    }
}
