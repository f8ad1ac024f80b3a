import HTTPMockServer
import HTTPTesting
import Straightline
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct CentralRequestTests {
    @Test func `each call becomes its request`() throws {
        let stub = StubClient(strict: true)
            .on(.post, "/session", answer: .json(["token": "t-2"])).on(.get, "/session", answer: .json(["name": "Ada"]))
            .on(.get, "/orders", answer: .json(text: "[]")).on(.put, "/draft", answer: .json(["text": "x"]))
        let app = central(stub, token: "t-1")
        _ = try app.service.call(.logIn(email: "a@b.c", password: "p"))
        _ = try app.service.call(.session)
        _ = try app.service.call(.orders(page: 2))
        _ = try app.service.call(.save(Draft(text: "x")))
        #expect(
            stub.requests.map { "\($0.method) \($0.url)" } == [
                "POST https://api.example.com/session", "GET https://api.example.com/session?device_type=linux",
                "GET https://api.example.com/orders?device_type=linux&page=2", "PUT https://api.example.com/draft",
            ])
        #expect(
            stub.requests.map { sortedJSON($0.text) } == [
                #"{"device_type":"linux","email":"a@b.c","password":"p"}"#, "", "",
                #"{"device_type":"linux","text":"x"}"#,
            ])
        #expect(stub.requests.map { $0.headers["Authorization"] } == [nil, "JWT t-1", "JWT t-1", "JWT t-1"])
        for request in stub.requests {
            #expect(request.headers["API-Version"] == "3")
        }
    }

    @Test(arguments: [("", ""), ("a@b.c", ""), ("", "p")])
    func `a login without email or password is refused before anything is sent`(
        _ email: String, _ password: String
    ) throws {
        let calls = Atomic(0)
        let stub = StubClient { request in
            calls.add(1, ordering: .relaxed)
            return .success(Response(request: request, status: .ok))
        }
        let error = try #require(failure { try central(stub).logIn(email: email, password: password) })
        #expect(error.text == "email and password required")
        #expect(error.status == nil)
        #expect(calls.load(ordering: .relaxed) == 0)
    }
}

@Suite struct CentralErrorTests {
    private func error(_ status: HTTPStatus, _ body: String, type: String = "application/json") -> HTTPError? {
        let stub = StubClient { request in
            .success(
                Response(request: request, status: status, headers: ["Content-Type": type], body: Data(body.utf8)))
        }
        return failure { try central(stub).service.call(.orders(page: 1)) }
    }

    @Test func `the server's message is the text, and its code is kept`() {
        let error = error(409, #"{"message": "this order is closed"}"#)
        #expect(error?.text == "this order is closed")
        #expect(error?.status == .conflict)
    }

    @Test(arguments: [#"{"code": 7}"#, "", #"{"message": ""}"#])
    func `without a message there is still a text`(_ body: String) {
        #expect(error(500, body)?.text == "the server could not do that")
        #expect(error(500, body)?.status == .internalServerError)
    }

    @Test func `an error page is not shown to the user`() {
        #expect(error(502, "<html>Bad gateway</html>", type: "text/html")?.text == "the server could not do that")
    }

    @Test func `a good status with a bad body keeps its code`() {
        #expect(error(200, "[]]")?.text == "something went wrong")
        #expect(error(200, "[]]")?.status == .ok)
    }

    @Test func `no connection has a text and no code`() throws {
        let app = AppClient(
            AppService(baseURL: "http://127.0.0.1:\(try MockServer.unusedPort())"), over: CurlTransport())
        let error = failure { try app.service.call(.session) }
        #expect(error?.text == "the server cannot be reached")
        #expect(error.map { $0.status } == .some(nil))
    }
}

@Suite struct CentralSessionTests {
    @Test func `logging in sends no old token, and keeps the new one for later calls`() throws {
        let server = try MockServer { AppServer.answer($0) }
        let app = central(CurlTransport(), server, token: "old")
        #expect(try app.logIn(email: "a@b.c", password: "lovelace") == User(name: "Ada"))
        #expect(app.tokens.current == "t-1815")
        let (logIn, session) = (try server.takeRequest(), try server.takeRequest())
        #expect(logIn.headers["Authorization"] == nil && sortedJSON(logIn.text).contains(#""password":"lovelace""#))
        #expect(session.headers["Authorization"] == "JWT t-1815")
        for received in [logIn, session] { #expect(received.headers["API-Version"] == "3") }
        #expect(logIn.text.contains(#""device_type":"linux""#) && logIn.target == "/session")
        #expect(session.target == "/session?device_type=linux" && session.body.isEmpty)
    }

    @Test func `a wrong password stores nothing, and the server's message is the text`() throws {
        let server = try MockServer { AppServer.answer($0) }
        let app = central(CurlTransport(), server)
        let error = failure { try app.logIn(email: "a@b.c", password: "byron") }
        #expect(error?.text == "wrong email or password" && error?.status == .unauthorized)
        #expect(app.tokens.current == nil && server.requestCount == 1)
    }

    @Test func `at start nothing is sent without a token`() throws {
        let server = try MockServer { AppServer.answer($0) }
        #expect(try central(CurlTransport(), server).start() == nil)
        #expect(server.requestCount == 0)
    }

    @Test func `at start a good token identifies the user`() throws {
        let server = try MockServer { AppServer.answer($0) }
        #expect(try central(CurlTransport(), server, token: "t-1815").start() == User(name: "Ada"))
        #expect(try server.takeRequest().headers["Authorization"] == "JWT t-1815")
    }

    @Test func `at start a token that the server refuses is forgotten`() throws {
        let server = try MockServer { AppServer.answer($0) }
        let app = central(CurlTransport(), server, token: "old")
        #expect(try app.start() == nil)
        #expect(app.tokens.current == nil && server.requestCount == 1)
    }

    @Test func `at start a token that cannot be checked is kept`() throws {
        let server = try MockServer { _ in .status(.serviceUnavailable) }
        let app = central(CurlTransport(), server, token: "t-1")
        #expect(failure { try app.start() }?.status == .serviceUnavailable)
        #expect(app.tokens.current == "t-1")
    }
}

@Suite struct CentralPolicyTests {
    @Test func `production checks every host, and pins its own with a key in reserve`() {
        let tls = TLSConfiguration.production
        #expect(tls.unverifiedHosts.isEmpty)
        #expect(tls.pins.keys.sorted() == ["api.example.com"] && tls.pins["api.example.com"]?.count == 2)
    }

    @Test func `a misspelled pin is an error, and is not dropped`() throws {
        let app = AppClient(over: AppClient.client(TLSConfiguration(pins: ["api.example.com": ["SqGaXQ+zqT5s5F9H"]])))
        let error = try #require(failure { try app.service.call(.session) })
        #expect("\(error)".contains(#""SqGaXQ+zqT5s5F9H" cannot be used"#))
    }
}

let unlimited = RateLimit(1_000_000, per: .seconds(1), burst: 1_000)

func central(
    _ transport: any HTTPClient, _ server: MockServer? = nil, token: String? = nil, spinner: Spinner = Spinner()
) -> AppClient {
    AppClient(
        AppService(
            baseURL: server?.url ?? "https://api.example.com", tokens: BearerTokens(token, scheme: "JWT")),
        over: transport, limit: unlimited, spinner: { spinner.update($0) })
}

private func failure<Value>(_ call: () throws -> Value) -> HTTPError? {
    do { _ = try call() } catch { return error as? HTTPError }
    return nil
}

/// A flat JSON object of strings with its members sorted: the order of a dictionary's is not fixed.
private func sortedJSON(_ text: String) -> String {
    guard text.hasPrefix("{"), text.hasSuffix("}") else { return text }
    return "{" + text.dropFirst().dropLast().split(separator: ",").sorted().joined(separator: ",") + "}"
}
