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
    /// Of a request that could not be built. A step that failed has left its error in the draft, and the only steps here
    /// that can are the bodies. What else of a request is not fixed here is its URL.
    init(building draft: MutableRequest, _ error: HTTPError) {
        self = draft.failure == nil ? .invalidURL(error) : .invalidBody(error)
    }

    /// Of a request that was sent.
    init(sending error: HTTPError) {
        switch error {
        case .resolution, .connection: self = .noConnection(error)
        case .unacceptableStatus(let response):
            self = .unsuccessful(response.status, message: response.serverMessage)
        default: self = .other(error)
        }
    }

    /// Of a body that is not what was asked for. What is wrong with the text as a whole has no place in it.
    init(decoding error: any Error) {
        switch error {
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            self = .notJSON(context.debugDescription)
        case DecodingError.keyNotFound(let key, let context):
            self = .wrongShape(path: Self.path(context.codingPath + [key]), reason: "it is missing")
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            self = .wrongShape(path: Self.path(context.codingPath), reason: context.debugDescription)
        default: self = .wrongShape(path: "", reason: "\(error)")
        }
    }

    /// As a person would write it: `posts[1].author`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
    }
}

/// A service: what its requests have in common, and the client that they are sent with.
protocol Service: RequestGenerator {
    var client: any HTTPClient { get }
}

extension Service {
    var defaults: RequestStep { .accept("application/json") }

    /// Sends `draft` and decodes the answer; each way in which that can fail is an error of its own.
    @available(*, noasync)
    func send<Value: Decodable>(
        _ draft: MutableRequest, as type: Value.Type = Value.self
    ) -> Result<Value, APIError> {
        Result { () throws(HTTPError) in try Request(draft) }
            .mapError { APIError(building: draft, $0) }
            .flatMap { client.executeRequest($0).validated().mapError(APIError.init(sending:)) }
            .flatMap(decoded)
    }

    private func decoded<Value: Decodable>(_ response: Response) -> Result<Value, APIError> {
        guard !response.body.isEmpty else { return .failure(.emptyData(response.status)) }
        return Result { try JSONDecoder().decode(Value.self, from: response.body) }
            .mapError(APIError.init(decoding:))
    }
}

struct UserService: Service {
    let client: any HTTPClient
    var baseURL = "https://users.example.com/v1"

    @available(*, noasync)
    func user(_ id: Int) -> Result<User, APIError> { send(get("users/\(id)")) }

    @available(*, noasync)
    func register(_ user: NewUser) -> Result<User, APIError> { send(post("users") |> .json(user)) }
}

struct ChatService: Service {
    let client: any HTTPClient
    var baseURL = "https://chat.example.com"

    @available(*, noasync)
    func rooms(of user: User) -> Result<[Room], APIError> { send(get("rooms") |> .query("member", user.id)) }

    @available(*, noasync)
    func say(_ text: String, in room: Int) -> Result<Message, APIError> {
        send(post("rooms/\(room)/messages") |> .json(["text": text]))
    }
}

/// Uses another service: what somebody likes to read, it must ask that one.
struct FeedService: Service {
    let client: any HTTPClient
    let users: UserService
    var baseURL = "https://feed.example.com/api"

    @available(*, noasync)
    func feed(ofUser id: Int, limit: Int = 20) -> Result<Feed, APIError> {
        users.user(id).flatMap { user in
            send(get("feeds/\(user.id)") |> .query("tag", user.interests) |> .query("limit", limit))
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
