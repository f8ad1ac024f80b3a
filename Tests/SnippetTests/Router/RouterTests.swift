import HTTPMockServer
import HTTPTesting
import Straightline
import Testing

/// The expected request of a case.
struct Expected: Sendable, CustomTestStringConvertible {
    let endpoint: UserEndpoint
    let line: String
    var body = ""
    var contentType: String?
    var isPublic = false
    /// Without the defaults of the service.
    var isBare = false

    var testDescription: String { line }
}

@Suite struct RouterTests {
    static let backend = Backend(deviceType: "linux", userID: 7, tokens: BearerTokens("t-1"))
    private static let query = "app_lang=en&device_type=linux&user_id=7"

    static let cases: [Expected] = [
        Expected(
            endpoint: .login(email: "a@b.c", password: "p&q"), line: "POST session/login",
            body: #"{"app_lang":"en","device_type":"linux","email":"a@b.c","password":"p&q"}"#,
            contentType: "application/json", isPublic: true),
        Expected(endpoint: .logout, line: "DELETE session?\(query)"),
        Expected(endpoint: .me, line: "GET users/me?\(query)"),
        Expected(endpoint: .user(id: 7), line: "GET users/7?\(query)"),
        Expected(endpoint: .search(name: "M & Co+", page: 2), line: "GET users?\(query)&name=M%20%26%20Co%2B&page=2"),
        Expected(endpoint: .tagged("a/b ?"), line: "GET users/tagged/a%2Fb%20%3F?\(query)"),
        Expected(
            endpoint: .rename(to: "Ada"), line: "PATCH users/me",
            body: #"{"app_lang":"en","device_type":"linux","name":"Ada","user_id":7}"#,
            contentType: "application/json"),
        Expected(
            endpoint: .register(name: "Ada L", email: "a@b.c"), line: "POST users",
            body: query + "&email=a%40b.c&name=Ada+L",
            contentType: "application/x-www-form-urlencoded"),
        Expected(endpoint: .delete(id: 7, reason: "spam"), line: "DELETE users/7?\(query)&reason=spam"),
        Expected(endpoint: .avatar(size: 64), line: "PUT users/me/avatar?\(query)&size=64"),
        Expected(endpoint: .help(language: "fr"), line: "GET help?app_lang=fr&device_type=linux"),
        Expected(endpoint: .ping, line: "GET ping", isBare: true),
    ]

    @Test(arguments: cases) func `each case becomes its request, without a network`(_ expected: Expected) throws {
        let stub = StubClient(strict: true).on("**", answer: .ok)
        try stub.service(Self.backend).call(expected.endpoint)
        let request = try #require(stub.requests.first)
        let base = "https://api.example.com/v1/"
        #expect("\(request.method) \(request.url.string.dropFirst(base.count))" == expected.line)
        #expect(request.url.string.hasPrefix(base))
        #expect(sortedJSON(request.text) == expected.body)
        #expect(request.headers["Content-Type"] == expected.contentType)
        #expect(request.headers["Accept"] == (expected.isBare ? nil : "application/json"))
        #expect(request.headers["Authorization"] == (expected.isPublic ? nil : "Bearer t-1"))
    }

    @Test func `a case alone uses production, without a device or a token`() throws {
        let request = try Request(endpoint: UserEndpoint.me, from: Backend())
        #expect(request.url.string == "https://api.example.com/v1/users/me?app_lang=en")
        #expect(!request.headers.contains("Authorization"))
    }

    @Test func `the backend decides about the environment and the language`() throws {
        let backend = Backend(environment: .development(port: 8080), language: "de-AT")
        let request = try Request(endpoint: UserEndpoint.user(id: 1), from: backend)
        #expect(request.url.string == "http://127.0.0.1:8080/v1/users/1?app_lang=de-AT")
    }

    @Test func `the token is read at each request`() throws {
        let stub = StubClient(strict: true).on("**", answer: .ok)
        let backend = stub.service(Backend())
        for token in [nil, "t-2", nil] {
            backend.generator.tokens.set(token)
            try backend.call(.me)
        }
        #expect(stub.requests.map { $0.headers["Authorization"] } == [nil, "Bearer t-2", nil])
    }

    @Test func `a value that would change the path is refused`() {
        #expect(throws: HTTPError.self) { try Request(endpoint: UserEndpoint.tagged(".."), from: Backend()) }
        #expect(throws: HTTPError.self) { try Request(endpoint: UserEndpoint.tagged(""), from: Backend()) }
    }
}

/// Exchanges over real connections.
@Suite struct RouterExchangeTests {
    let server: MockServer
    let backend: Service<Backend>

    init() throws {
        server = try MockServer { UserServer.answer($0) }
        let generator = Backend(environment: .development(port: server.port), language: "de", deviceType: "linux")
        backend = CurlTransport().service(generator)
    }

    @Test func `the callback form logs in, and the next call carries the token`() async throws {
        let session = try await withCheckedContinuation { done in
            let login = UserEndpoint.login(email: "a@b.c", password: "p")
            backend.call(login, as: Session.self, callbackQueue: .immediate) { done.resume(returning: $0) }
        }.get()
        backend.generator.tokens.set(session.token)
        let me: User = try await backend.call(.me)
        #expect(me == User(id: 1, name: "Ada"))

        let login = try await server.takeRequest()
        #expect(login.method == .post && login.target == "/v1/session/login")
        #expect(
            sortedJSON(login.text) == #"{"app_lang":"de","device_type":"linux","email":"a@b.c","password":"p"}"#)
        #expect(login.headers["Authorization"] == nil)
        let second = try await server.takeRequest()
        #expect(second.headers["Authorization"] == "Bearer t-1815")
        #expect(second.target == "/v1/users/me?app_lang=de&device_type=linux")
    }

    @Test func `the future form decodes, and parameters arrive as the call specifies`() async throws {
        backend.generator.tokens.set("t-1815")
        let user = backend.future(for: .register(name: "Mary Shelley", email: "m@b.c"), as: User.self)
        #expect(try await user.get() == User(id: 3, name: "Mary"))
        let received = try await server.takeRequest()
        #expect(received.text == "app_lang=de&device_type=linux&email=m%40b.c&name=Mary+Shelley")
        #expect(received.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func `a refusal is an error in each form`() async {
        let called = await withCheckedContinuation { done in
            backend.call(.me, as: User.self, callbackQueue: .immediate) { done.resume(returning: $0) }
        }
        #expect(await refusal { try called.get() } == .unauthorized)
        #expect(await refusal { try await backend.call(.me) } == .unauthorized)
        #expect(await refusal { try await backend.future(for: .me).get() } == .unauthorized)
        #expect(server.requestCount == 3)
    }

    @Test func `the demo runs`() async throws { try await Router.main() }
}

/// The status with which a call was refused.
private func refusal(_ call: () async throws -> User) async -> HTTPStatus? {
    do { _ = try await call() } catch HTTPError.unacceptableStatus(let response) { return response.status } catch {}
    return nil
}

/// A flat JSON object of strings with its members sorted: the order of a dictionary's is not fixed.
private func sortedJSON(_ text: String) -> String {
    guard text.hasPrefix("{"), text.hasSuffix("}") else { return text }
    return "{" + text.dropFirst().dropLast().split(separator: ",").sorted().joined(separator: ",") + "}"
}
