// A router: each call of an app is a case, each case a line, and sending one is a line, too.
//
// Run it with `swift run Router`. It talks to a small server of its own (UserServer below) on this machine.
import HTTPMockServer
import HTTPCurl
import HTTPAsync
import HTTPFutures
import Synchronization

/// Where the app talks to.
enum Environment: Sendable {
    /// A server on the developer's own machine.
    case development(port: Int)
    case production

    var baseURL: String {
        switch self {
        case .development(let port): "http://127.0.0.1:\(port)/v1"
        case .production: "https://api.example.com/v1"
        }
    }
}

/// The paths, each spelled once. What is interpolated is percent-encoded.
enum UserPath {
    case login, logout, me, avatar, users
    case user(Int)
    case tagged(String)

    var path: RequestPath {
        switch self {
        case .login: "session/login"
        case .logout: "session"
        case .me: "users/me"
        case .avatar: "users/me/avatar"
        case .users: "users"
        case .user(let id): "users/\(id)"
        case .tagged(let tag): "users/tagged/\(tag)"
        }
    }
}

/// Holds the token of the session. It is asked for each request, so a log in counts from the next one on.
final class TokenStore: Sendable {
    private let token: Mutex<String?>

    init(_ token: String? = nil) { self.token = Mutex(token) }

    var current: String? { token.withLock { $0 } }

    func set(_ new: String?) { token.withLock { $0 = new } }
}

/// What every request has in common.
struct Backend: RequestGenerator {
    var environment = Environment.production
    var language = "en"
    var deviceID: String?
    var tokens = TokenStore()

    var baseURL: String { environment.baseURL }

    var defaults: RequestStep {
        .accept("application/json") |> .acceptLanguage(language)
            |> .ifLet(deviceID) { .header("X-Device-ID", $0) }
            |> .ifLet(tokens.current) { .bearer($0) }
    }

    func request(_ method: HTTPMethod, _ place: UserPath) -> MutableRequest { request(method, place.path) }
}

/// The calls. Parameters go into the query of GET, HEAD and DELETE, else into the body as JSON, unless a line says where.
enum UserEndpoint: ServiceEndpoint {
    case login(email: String, password: String)
    case logout
    case me
    case user(id: Int)
    case search(name: String, page: Int)
    case tagged(String)
    case rename(to: String)
    case register(name: String, email: String)
    case delete(id: Int, reason: String)
    case avatar(size: Int)

    var generator: Backend { Backend() }

    func request(from backend: Backend) -> MutableRequest {
        switch self {
        case .login(let email, let password):
            backend.request(.post, .login) |> .removingHeader("Authorization")
                |> .parameters(["email": email, "password": password])
        case .logout: backend.request(.delete, .logout)
        case .me: backend.request(.get, .me)
        case .user(let id): backend.request(.get, .user(id))
        case .search(let name, let page): backend.request(.get, .users) |> .parameters(Search(name: name, page: page))
        case .tagged(let tag): backend.request(.get, .tagged(tag))
        case .rename(let name): backend.request(.patch, .me) |> .parameters(["name": name])
        case .register(let name, let email):
            backend.request(.post, .users) |> .parameters(["name": name, "email": email], encoding: .form)
        case .delete(let id, let reason): backend.request(.delete, .user(id)) |> .parameters(["reason": reason])
        case .avatar(let size): backend.request(.put, .avatar) |> .parameters(["size": size], encoding: .query)
        }
    }
}

struct Search: Codable, Sendable {
    let name: String
    let page: Int
}

struct User: Codable, Sendable, Equatable {
    let id: Int
    let name: String
}

struct Session: Codable, Sendable { let token: String }

/// A client and the service it is for: what a screen is given to send endpoints with.
struct ServiceClient<Service: RequestGenerator>: Sendable {
    let http: any HTTPClient
    let service: Service
}

/// Sends a case in one line. Only a 2xx status counts, and the body is decoded as JSON.
extension ServiceEndpoint {
    typealias Client = ServiceClient<Generator>

    /// With a callback.
    @discardableResult
    func send<Value: Decodable & Sendable>(
        with client: Client, as type: Value.Type = Value.self, callbackQueue: CallbackQueue = .main,
        _ callback: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        client.http.perform(
            { $0.execute(self, from: client.service, as: type) }, callbackQueue: callbackQueue, callback)
    }

    /// Awaited.
    func value<Value: Decodable & Sendable>(
        with client: Client, as type: Value.Type = Value.self
    ) async throws(HTTPError) -> Value {
        try await client.http.perform { $0.execute(self, from: client.service, as: type) }
    }

    /// As a future.
    func future<Value: Decodable & Sendable>(
        with client: Client, as type: Value.Type = Value.self
    ) -> Future<Value, HTTPError> {
        client.http.future { $0.execute(self, from: client.service, as: type) }
    }
}

#if !SNIPPET_TESTS
@main
#endif
enum Router {
    static func main() async throws {
        let server = try MockServer { UserServer.answer($0) }
        let backend = Backend(environment: .development(port: server.port), language: "de", deviceID: "device-1")
        let client = ServiceClient(http: CurlTransport().intercepted(by: .log { print(" ", $0) }), service: backend)

        print("With a callback")
        await withCheckedContinuation { done in
            UserEndpoint.login(email: "ada@example.com", password: "lovelace").send(with: client) { result in
                report(result) { (session: Session) in backend.tokens.set(session.token) }
                done.resume()
            }
        }

        print("\nAwaited")
        let me: User = try await UserEndpoint.me.value(with: client)
        let found: [User] = try await UserEndpoint.search(name: "Mary & Co", page: 2).value(with: client)
        print("  \(me.name) found \(found.map(\.name))")

        print("\nAs futures")
        let renamed: Future<User, HTTPError> = UserEndpoint.rename(to: "Augusta").future(with: client)
        let registered = UserEndpoint.register(name: "Mary", email: "m@example.com").future(with: client, as: User.self)
        print("  \(try await Future.zip(renamed, registered).get())")

        print("\nWhat the server received")
        for request in server.requests {
            print("  \(request.method) \(request.target) \(request.headers["Content-Type"] ?? "without a body")")
        }
    }

    static func report<Value>(_ result: Result<Value, HTTPError>, _ use: (Value) -> Void) {
        switch result {
        case .success(let value): use(value)
        case .failure(let error): print("  ✗ \(error)")
        }
    }
}

/// The server that the demo talks to.
enum UserServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        if request.path == "/v1/session/login" { return .json(#"{"token": "t-1815"}"#) }
        guard request.headers["Authorization"] == "Bearer t-1815" else {
            return .json(#"{"message": "log in first"}"#, status: .unauthorized)
        }
        return switch (request.method, request.path) {
        case (.get, "/v1/users/me"): .json(#"{"id": 1, "name": "Ada"}"#)
        case (.get, "/v1/users"): .json(#"[{"id": 2, "name": "Mary"}]"#)
        case (.patch, "/v1/users/me"): .json(#"{"id": 1, "name": "Augusta"}"#)
        case (.post, "/v1/users"): .json(#"{"id": 3, "name": "Mary"}"#, status: .created)
        default: .status(.notFound)
        }
    }
}
