// Three services on three hosts: a client with its own limits for each, and errors that an app can tell apart.
//
// Run it with `swift run SeveralAPIs`. It talks to three small servers of its own (below) on this machine.
import HTTPMockServer
import HTTPCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What can go wrong, as far as an app treats it differently.
enum APIError: Error {
    /// The base URL or the path is none. Nothing was sent.
    case invalidURL(HTTPError)
    /// The value to send cannot be encoded. Nothing was sent.
    case invalidBody(HTTPError)
    /// The host cannot be found or reached, or the connection broke.
    case noConnection(HTTPError)
    /// The server answered, and not with a 2xx status.
    case unsuccessful(HTTPStatus, message: String?)
    /// The server answered well, but with nothing in it.
    case emptyData(HTTPStatus)
    /// The answer is no JSON.
    case notJSON(String)
    /// The answer is JSON, and something at this place in it is missing or of another type.
    case wrongShape(path: String, reason: String)
    /// Anything else: out of time, cancelled, not to be trusted …
    case other(HTTPError)
}

extension APIError {
    /// A step that failed has left its error in the draft, and the only steps here that can are the bodies. What else of a
    /// request is not fixed here is its URL.
    init(_ error: HTTPError, of draft: MutableRequest) {
        self =
            switch error {
            case .invalidRequest: draft.failure == nil ? .invalidURL(error) : .invalidBody(error)
            case .resolution, .connection: .noConnection(error)
            case .unacceptableStatus(let response): .unsuccessful(response.status, message: response.serverMessage)
            case .decoding(let failure) where failure.response.body.isEmpty: .emptyData(failure.response.status)
            case .decoding(let failure): APIError(decoding: failure)
            default: .other(error)
            }
    }

    private init(decoding failure: DecodingFailure) {
        if case DecodingError.dataCorrupted? = failure.underlying, failure.path.isEmpty {
            self = .notJSON(failure.reason)
        } else {
            self = .wrongShape(path: failure.path, reason: failure.reason)
        }
    }
}

/// A service: what its requests have in common, and the client that they are sent with.
protocol API: RequestGenerator {
    var client: any HTTPClient { get }
}

extension API {
    var defaults: RequestStep { .accept("application/json") }

    /// Makes a call; each way in which it can fail is an error of its own.
    @available(*, noasync)
    func call<Value>(_ endpoint: Endpoint<Self, Value>) -> Result<Value, APIError> {
        Result { () throws(HTTPError) in try client.service(self).call(endpoint) }
            .mapError { APIError($0, of: endpoint.request(from: self)) }
    }
}

struct UserService: API {
    let client: any HTTPClient
    var baseURL = "https://users.example.com/v1"

    @available(*, noasync)
    func user(_ id: Int) -> Result<User, APIError> { call(.get("users/\(id)")) }

    @available(*, noasync)
    func register(_ user: NewUser) -> Result<User, APIError> { call(.post("users") |> .json(user)) }
}

struct ChatService: API {
    let client: any HTTPClient
    var baseURL = "https://chat.example.com"

    @available(*, noasync)
    func rooms(of user: User) -> Result<[Room], APIError> { call(.get("rooms") |> .query("member", user.id)) }

    @available(*, noasync)
    func say(_ text: String, in room: Int) -> Result<Message, APIError> {
        call(.post("rooms/\(room)/messages") |> .json(["text": text]))
    }
}

/// Uses another service: what somebody likes to read, it must ask that one.
struct FeedService: API {
    let client: any HTTPClient
    let users: UserService
    var baseURL = "https://feed.example.com/api"

    @available(*, noasync)
    func feed(ofUser id: Int, limit: Int = 20) -> Result<Feed, APIError> {
        users.user(id).flatMap { user in
            call(.get("feeds/\(user.id)") |> .query("tag", user.interests) |> .query("limit", limit))
        }
    }
}

struct User: Codable, Sendable, Equatable {
    let id: Int
    let name: String
    let interests: [String]
}

struct NewUser: Codable, Sendable {
    let name: String
    let height: Double
}

struct Room: Codable, Sendable, Equatable { let id: Int }

struct Message: Codable, Sendable, Equatable { let text: String }

struct Feed: Codable, Sendable, Equatable {
    struct Post: Codable, Sendable, Equatable {
        let title: String
        let author: User
    }

    let posts: [Post]
}

/// A client for each service, with limits of its own: what one may do takes nothing from another.
enum Clients {
    /// Small answers, and bursts of them.
    static func users(over transport: any HTTPClient = CurlTransport()) -> any HTTPClient {
        transport.intercepted(by: .rateLimit(20, per: .seconds(1), burst: 10), .applying(.bodyLimit(64 << 10)))
    }

    /// At once or not at all.
    static func chat(over transport: any HTTPClient = CurlTransport()) -> any HTTPClient {
        transport.intercepted(by: .applying(.timeout(.seconds(2)) |> .connectTimeout(.seconds(1))))
    }

    /// Large answers, few of them, and with patience. Each attempt counts, for the server counts them, too.
    static func feed(over transport: any HTTPClient = CurlTransport()) -> any HTTPClient {
        transport.intercepted(
            by: .retry(), .rateLimit(5, per: .seconds(1), burst: 5), .applying(.bodyLimit(16 << 20)))
    }
}

#if !SNIPPET_TESTS
@main
#endif
enum Demo {
    static func main() throws {
        let userServer = try MockServer { UserServer.answer($0) }
        let chatServer = try MockServer { ChatServer.answer($0) }
        let feedServer = try MockServer { FeedServer.answer($0) }
        let users = UserService(client: Clients.users(), baseURL: userServer.url)
        let chat = ChatService(client: Clients.chat(), baseURL: chatServer.url)
        let feed = FeedService(client: Clients.feed(), users: users, baseURL: feedServer.url)

        print("Three services")
        show(users.user(1))
        show(users.user(1).flatMap { chat.rooms(of: $0) })
        show(chat.say("hello", in: 7))
        show(feed.feed(ofUser: 1).map { $0.posts.map(\.title) })
        print("  The feed's host was asked for \(feedServer.requests.map(\.target).joined())")

        print("\nWhat can go wrong")
        show(UserService(client: users.client, baseURL: "https://users example.com").user(1))
        show(users.register(NewUser(name: "Ada", height: .nan)))
        let nobody = "http://127.0.0.1:\(try MockServer.unusedPort())"
        show(ChatService(client: chat.client, baseURL: nobody).say("hello", in: 7))
        show(users.user(404))
        show(users.user(2))
        show(users.user(3))
        show(feed.feed(ofUser: 4))
    }

    static func show<Value>(_ result: Result<Value, APIError>) {
        switch result {
        case .success(let value): print("  \(value)")
        case .failure(let error): print("  ✗ \(error)")
        }
    }
}

extension APIError: CustomStringConvertible {
    var description: String {
        switch self {
        case .invalidURL(let error): "invalid URL: \(error)"
        case .invalidBody(let error): "invalid body: \(error)"
        case .noConnection(let error): "no connection: \(error)"
        case .unsuccessful(let status, let message): "unsuccessful: \(status), \(message ?? "no message")"
        case .emptyData(let status): "empty data: \(status)"
        case .notJSON(let reason): "not JSON: \(reason)"
        case .wrongShape("", let reason): "wrong shape: \(reason)"
        case .wrongShape(let path, let reason): "wrong shape at \(path): \(reason)"
        case .other(let error): "\(error)"
        }
    }
}

/// The servers that the demo talks to.
enum UserServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        switch request.path {
        case "/users/1": .json(#"{"id": 1, "name": "Ada", "interests": ["poetry", "engines"]}"#)
        case "/users/2": .status(.ok)
        case "/users/3": .text("<html>Under maintenance</html>")
        case "/users/4": .json(#"{"id": 4, "name": "Mary", "interests": []}"#)
        default: .json(#"{"message": "nobody has this id"}"#, status: .notFound)
        }
    }
}

enum ChatServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        request.method == .post ? .json(request.text, status: .created) : .json(#"[{"id": 7}]"#)
    }
}

enum FeedServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        let ada = #"{"id": 1, "name": "Ada", "interests": []}"#
        let second = request.path == "/feeds/1" ? ada : #"{"id": 1, "interests": []}"#
        return .json(#"{"posts": [{"title": "Notes", "author": \#(ada)}, {"title": "More", "author": \#(second)}]}"#)
    }
}
