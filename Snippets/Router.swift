// A router: each call of an app is an enum case of one line, and so is making it.
//
// Run it with `swift run Router`. It talks to a small server of its own (UserServer below) on this machine.
import HTTPMockServer
import HTTPURLSession
import Straightline

#if canImport(FoundationNetworking)
import FoundationNetworking
#else
import Foundation
#endif

/// The server of the app.
enum Environment: Sendable {
    /// A server on the developer's machine.
    case development(port: Int)
    case production

    var baseURL: String {
        switch self {
        case .development(let port): "http://127.0.0.1:\(port)/v1"
        case .production: "https://api.example.com/v1"
        }
    }
}

/// The common properties of all requests.
struct Backend: EnumeratedGenerator {
    typealias Calls = UserEndpoint

    var environment = Environment.production
    var language = "en"
    var deviceType: String?
    /// Nil before the login.
    var userID: Int?
    var tokens = BearerTokens()

    var baseURL: String { environment.baseURL }

    /// The parameters of every call; nil is left out. A call can override one, remove one, or do without all.
    var defaults: RequestStep {
        .accept("application/json") |> .parameter("app_lang", language) |> .parameter("device_type", deviceType)
            |> .parameter("user_id", userID)
    }

    /// The token is read at each call, so a login applies from the next one on.
    var interceptors: [Interceptor] { [.bearer(tokens)] }
}

/// The calls. Parameters go into the query of GET, HEAD and DELETE, else into the body as JSON, unless a line says
/// otherwise.
enum UserEndpoint: ServiceEndpoint {
    case login(email: String, password: String), logout
    case me, user(id: Int), search(name: String, page: Int), tagged(String)
    case rename(to: String), register(name: String, email: String), delete(id: Int, reason: String), avatar(size: Int)
    case help(language: String), ping

    func request(from backend: Backend) -> MutableRequest {
        switch self {
        case .login(let email, let password):
            backend.post("session/login") |> .anonymous |> .removingParameter("user_id")
                |> .parameters(["email": email, "password": password])
        case .logout: backend.delete("session")
        case .me: backend.get("users/me")
        case .user(let id): backend.get("users/\(id)")
        case .search(let name, let page): backend.get("users") |> .parameters(Search(name: name, page: page))
        case .tagged(let tag): backend.get("users/tagged/\(tag)")
        case .rename(let name): backend.patch("users/me") |> .parameters(["name": name])
        case .register(let name, let email):
            backend.post("users") |> .parameters(["name": name, "email": email], encoding: .form)
        case .delete(let id, let reason): backend.delete("users/\(id)") |> .parameters(["reason": reason])
        case .avatar(let size): backend.put("users/me/avatar") |> .parameterEncoding(.query) |> .parameter("size", size)
        case .help(let language):
            backend.get("help") |> .removingParameter("user_id") |> .parameter("app_lang", language)
        case .ping: backend.get("ping") |> .withoutDefaults
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

#if !SNIPPET_TESTS
@main
#endif
enum Router {
    static func main() async throws {
        let server = try MockServer { UserServer.answer($0) }
        let backend = Backend(environment: .development(port: server.port), language: "de", deviceType: "linux")
        try await tour(of: CurlTransport().intercepted(by: .log { print(" ", $0) }).service(backend))
        try await showOtherEngine(backend)

        print("\nWhat the server received")
        for request in server.requests {
            print("  \(request.method) \(request.target) \(request.headers["Content-Type"] ?? "without a body")")
        }
    }

    static func tour(of backend: Service<Backend>) async throws {
        print("With a callback")
        await withCheckedContinuation { done in
            backend.call(
                .login(email: "ada@example.com", password: "lovelace"), as: Session.self, callbackQueue: .immediate
            ) { result in
                switch result {
                case .success(let session): backend.generator.tokens.set(session.token)
                case .failure(let error): print("  \(error)")
                }
                done.resume()
            }
        }

        print("\nAwaited")
        let me: User = try await backend.call(.me)
        let found: [User] = try await backend.call(.search(name: "Mary & Co", page: 2))
        print("  \(me.name) found \(found.map(\.name))")

        print("\nAs futures")
        let renamed = backend.future(for: .rename(to: "Augusta"), as: User.self)
        let registered = backend.future(for: .register(name: "Mary", email: "m@example.com"), as: User.self)
        print("  \(try await Future.zip(renamed, registered).get())")
    }

    /// Swaps the engine in one line, and converts a request to one of URLSession's and back.
    static func showOtherEngine(_ generator: Backend) async throws {
        print("\nOver URLSession")
        let backend = URLSessionTransport().service(generator)
        print("  \(try await backend.call(.me, as: User.self).name)")
        let request = try URLRequest(Request(backend.request(.me)))
        print("  \(try Request(request)), as \(type(of: request)) and back")
    }
}

/// The server of the demo.
enum UserServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        if request.path == "/v1/session/login" { return .json(text: #"{"token": "t-1815"}"#) }
        guard request.headers["Authorization"] == "Bearer t-1815" else {
            return .json(text: #"{"message": "log in first"}"#, status: .unauthorized)
        }
        return switch (request.method, request.path) {
        case (.get, "/v1/users/me"): .json(text: #"{"id": 1, "name": "Ada"}"#)
        case (.get, "/v1/users"): .json(text: #"[{"id": 2, "name": "Mary"}]"#)
        case (.patch, "/v1/users/me"): .json(text: #"{"id": 1, "name": "Augusta"}"#)
        case (.post, "/v1/users"): .json(text: #"{"id": 3, "name": "Mary"}"#, status: .created)
        default: .status(.notFound)
        }
    }
}
