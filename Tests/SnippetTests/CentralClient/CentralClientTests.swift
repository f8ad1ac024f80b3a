import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a case must become.
struct Expected: Sendable, CustomTestStringConvertible {
    let endpoint: AppEndpoint
    let line: String
    var body = ""
    var isPublic = false

    var testDescription: String { line }
}

@Suite struct CentralRequestTests {
    static let cases: [Expected] = [
        Expected(
            endpoint: .logIn(email: "a@b.c", password: "p"), line: "POST session",
            body: #"{"email":"a@b.c","password":"p"}"#, isPublic: true),
        Expected(endpoint: .session, line: "GET session"),
        Expected(endpoint: .orders(page: 2), line: "GET orders?page=2"),
        Expected(endpoint: .saveDraft("x"), line: "PUT draft", body: #"{"text":"x"}"#),
    ]

    @Test(arguments: cases) func `each case becomes its request, without a network`(_ expected: Expected) throws {
        let service = AppService(tokens: TokenStore("t-1"))
        let request = try Request(endpoint: expected.endpoint, from: service)
        #expect("\(request.method) \(request.url.string)" == expected.line.inserting("https://api.example.com/"))
        #expect(sortedJSON(text(request.body)) == expected.body)
        #expect(request.headers["API-Version"] == "3" && request.headers["Device-Type"] == "linux")
        #expect(request.headers["Authorization"] == (expected.isPublic ? nil : "Bearer t-1"))
    }

    @Test(arguments: [("", ""), ("a@b.c", ""), ("", "p")])
    func `a log in without email or password is refused before anything is sent`(
        _ email: String, _ password: String
    ) throws {
        let calls = Atomic(0)
        let stub = StubClient { request in
            calls.add(1, ordering: .relaxed)
            return .success(Response(request: request, status: .ok))
        }
        let error = try #require(central(stub).logIn(email: email, password: password).failure)
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
        return central(stub).call(.orders(page: 1), as: [Order].self).failure
    }

    @Test func `the server's message is the text, and its code is kept`() {
        let error = error(409, #"{"message": "this order is closed"}"#)
        #expect(error?.text == "this order is closed")
        #expect(error?.status == .conflict)
    }

    @Test(arguments: [#"{"code": 7}"#, "", #"{"message": ""}"#])
    func `without a message there is a text all the same`(_ body: String) {
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
            AppService(baseURL: "http://127.0.0.1:\(try MockServer.unusedPort())"), over: CurlTransport(),
            spinner: { _ in }, log: { _ in })
        let error = app.call(.session, as: User.self).failure
        #expect(error?.text == "the server cannot be reached")
        #expect(error.map { $0.status } == .some(nil))
    }
}

@Suite struct CentralSessionTests {
    @Test func `logging in sends no old token, and keeps the new one for what follows`() throws {
        let server = try MockServer { AppServer.answer($0) }
        let app = central(CurlTransport(), server, token: "old")
        #expect(try app.logIn(email: "a@b.c", password: "lovelace").get() == User(name: "Ada"))
        #expect(app.service.tokens.current == "t-1815")
        let (logIn, session) = (try server.takeRequest(), try server.takeRequest())
        #expect(logIn.headers["Authorization"] == nil && sortedJSON(logIn.text).contains(#""password":"lovelace""#))
        #expect(session.headers["Authorization"] == "Bearer t-1815")
        for received in [logIn, session] {
            #expect(received.headers["API-Version"] == "3" && received.headers["Device-Type"] == "linux")
        }
    }

    @Test func `a wrong password keeps nothing, and the server's words are the text`() throws {
        let server = try MockServer { AppServer.answer($0) }
        let app = central(CurlTransport(), server)
        let error = app.logIn(email: "a@b.c", password: "byron").failure
        #expect(error?.text == "wrong email or password" && error?.status == .unauthorized)
        #expect(app.service.tokens.current == nil && server.requestCount == 1)
    }

    @Test func `at start nothing is sent without a token`() throws {
        let server = try MockServer { AppServer.answer($0) }
        #expect(try central(CurlTransport(), server).start().get() == nil)
        #expect(server.requestCount == 0)
    }

    @Test func `at start a good token tells who is logged in`() throws {
        let server = try MockServer { AppServer.answer($0) }
        #expect(try central(CurlTransport(), server, token: "t-1815").start().get() == User(name: "Ada"))
        #expect(try server.takeRequest().headers["Authorization"] == "Bearer t-1815")
    }

    @Test func `at start a token that the server refuses is forgotten`() throws {
        let server = try MockServer { AppServer.answer($0) }
        let app = central(CurlTransport(), server, token: "old")
        #expect(try app.start().get() == nil)
        #expect(app.service.tokens.current == nil && server.requestCount == 1)
    }

    @Test func `at start a token that cannot be checked is kept`() throws {
        let server = try MockServer { _ in .status(.serviceUnavailable) }
        let app = central(CurlTransport(), server, token: "t-1")
        #expect(app.start().failure?.status == .serviceUnavailable)
        #expect(app.service.tokens.current == "t-1")
    }
}

@Suite struct CentralPolicyTests {
    @Test func `production checks every host, and pins its own with a key in reserve`() throws {
        let tls = try SecurityPolicy.production.configuration().tls
        #expect(tls.unverifiedHosts.isEmpty)
        #expect(tls.pins.keys.sorted() == ["api.example.com"] && tls.pins["api.example.com"]?.count == 2)
    }

    @Test func `a development host is unchecked only where it is named, and the pins stay`() throws {
        let tls = try SecurityPolicy.development(uncheckedHosts: ["dev.local"]).configuration().tls
        #expect(tls.unverifiedHosts == ["dev.local"])
        #expect(try tls.pins == SecurityPolicy.production.configuration().tls.pins)
        #expect(try SecurityPolicy().configuration().tls.unverifiedHosts.isEmpty)
    }

    @Test func `a misspelled pin is an error, and no pin less`() throws {
        let policy = SecurityPolicy(pins: ["api.example.com": ["SqGaXQ+zqT5s5F9H"]])
        let error = try #require(throws: HTTPError.self) { try policy.transport() }
        #expect("\(error)".contains(#""SqGaXQ+zqT5s5F9H" cannot be used"#))
    }
}

let unlimited = RateLimit(1_000_000, per: .seconds(1), burst: 1_000)

func central(
    _ transport: any HTTPClient, _ server: MockServer? = nil, token: String? = nil, spinner: Spinner = Spinner()
) -> AppClient {
    AppClient(
        AppService(baseURL: server?.url ?? "https://api.example.com", tokens: TokenStore(token)), over: transport,
        limit: unlimited, spinner: { spinner.update($0) }, log: { _ in })
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension String {
    /// With `text` behind the first space.
    fileprivate func inserting(_ text: String) -> String {
        guard let space = firstIndex(of: " ") else { return self }
        return self[...space] + text + self[index(after: space)...]
    }
}

private func text(_ body: RequestBody) -> String {
    guard case .data(let data) = body.content else { return "" }
    return String(decoding: data, as: UTF8.self)
}

/// A flat JSON object of strings with its members sorted: the order of a dictionary's is not fixed.
private func sortedJSON(_ text: String) -> String {
    guard text.hasPrefix("{"), text.hasSuffix("}") else { return text }
    return "{" + text.dropFirst().dropLast().split(separator: ",").sorted().joined(separator: ",") + "}"
}
