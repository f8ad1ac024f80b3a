// Three services on three hosts: a client with its own limits for each, and errors that an app can distinguish.
//
// Run it with `swift run SeveralAPIs`. It talks to three small servers of its own (below) on this machine.
import HTTPMockServer
import Straightline

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The failures that an app treats differently.
enum APIError: Error {
    /// The request cannot be built. Nothing was sent.
    case invalidURL(HTTPError), invalidBody(HTTPError)
    /// The host cannot be found or reached, or the connection was lost.
    case noConnection(HTTPError)
    /// The server answered with a status other than 2xx.
    case unsuccessful(HTTPStatus, message: String?)
    /// The status is good, but the body is empty, not JSON, or JSON in which this place is missing or of another type.
    case emptyData(HTTPStatus), notJSON(String), wrongShape(path: String, reason: String)
    /// Any other error: timed out, cancelled, not trusted …
    case other(HTTPError)
}

extension APIError {
    /// A failed step leaves its error in the draft. The only steps here that can fail are the bodies, so any other
    /// invalid part is the URL.
    init(_ error: HTTPError, of draft: MutableRequest) {
        self =
            switch error {
            case .invalidRequest: draft.failure == nil ? .invalidURL(error) : .invalidBody(error)
            case .resolution, .connection: .noConnection(error)
            case .unacceptableStatus(let response): .unsuccessful(response.status, message: response.serverMessage)
            case .decoding(let failure) where failure.response.body.isEmpty: .emptyData(failure.response.status)
            case .decoding(let failure) where failure.isMalformed: .notJSON(failure.reason)
            case .decoding(let failure): .wrongShape(path: failure.path, reason: failure.reason)
            default: .other(error)
            }
    }
}

extension Service {
    /// Makes a call; each kind of failure is a separate error.
    @available(*, noasync)
    func result<Value>(_ endpoint: Endpoint<Generator, Value>) -> Result<Value, APIError> {
        Result { () throws(HTTPError) in try call(endpoint) }.mapError { APIError($0, of: request(endpoint)) }
    }
}

// Each service has its own limits, which the calls of another do not use up.

/// Small responses, in bursts.
struct Users: RequestGenerator {
    var baseURL = "https://users.example.com/v1"
    let interceptors: [Interceptor] = [.rateLimit(20, per: .seconds(1), burst: 10)]
    var defaults: RequestStep { .accept("application/json") |> .bodyLimit(64 << 10) }
}

extension Endpoint where Generator == Users {
    static func user(_ id: Int) -> Self where Value == User { .get("users/\(id)") }
    static func register(_ user: NewUser) -> Self where Value == User { .post("users") |> .json(user) }
}

/// Immediate or not at all.
struct Chat: RequestGenerator {
    var baseURL = "https://chat.example.com"
    var defaults: RequestStep {
        .accept("application/json") |> .timeout(.seconds(2)) |> .connectTimeout(.seconds(1))
    }
}

extension Endpoint where Generator == Chat {
    static func rooms(of user: User) -> Self where Value == [Room] { .get("rooms") |> .query("member", user.id) }
    static func say(_ text: String, in room: Int) -> Self where Value == Message {
        .post("rooms/\(room)/messages") |> .json(["text": text])
    }
}

/// Few large responses, without hurry. Each attempt counts, because the server counts it, too.
struct Feeds: RequestGenerator {
    var baseURL = "https://feed.example.com/api"
    let interceptors: [Interceptor] = [.retry(), .rateLimit(5, per: .seconds(1), burst: 5)]
    var defaults: RequestStep { .accept("application/json") |> .bodyLimit(16 << 20) }
}

extension Service<Feeds> {
    /// Uses another service, which knows the interests of a user.
    @available(*, noasync)
    func feed(ofUser id: Int, limit: Int = 20, asking users: Service<Users>) -> Result<Feed, APIError> {
        users.result(.user(id)).flatMap { user in
            result(.get("feeds/\(user.id)") |> .query("tag", user.interests) |> .query("limit", limit))
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

#if !SNIPPET_TESTS
@main
#endif
enum Demo {
    static func main() throws {
        let userServer = try MockServer { UserServer.answer($0) }
        let chatServer = try MockServer { ChatServer.answer($0) }
        let feedServer = try MockServer { FeedServer.answer($0) }
        let client = CurlTransport()
        let users = client.service(Users(baseURL: userServer.url))
        let chat = client.service(Chat(baseURL: chatServer.url))
        let feeds = client.service(Feeds(baseURL: feedServer.url))

        print("Three services")
        show(users.result(.user(1)))
        show(users.result(.user(1)).flatMap { chat.result(.rooms(of: $0)) })
        show(chat.result(.say("hello", in: 7)))
        show(feeds.feed(ofUser: 1, asking: users).map { $0.posts.map(\.title) })
        print("  The feed's host was asked for \(feedServer.requests.map(\.target).joined())")

        print("\nWhat can go wrong")
        show(client.service(Users(baseURL: "https://users example.com")).result(.user(1)))
        show(users.result(.register(NewUser(name: "Ada", height: .nan))))
        let nobody = "http://127.0.0.1:\(try MockServer.unusedPort())"
        show(client.service(Chat(baseURL: nobody)).result(.say("hello", in: 7)))
        for id in [404, 2, 3] { show(users.result(.user(id))) }
        show(feeds.feed(ofUser: 4, asking: users))
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

/// The servers of the demo.
enum UserServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        switch request.path {
        case "/users/1": .json(text: #"{"id": 1, "name": "Ada", "interests": ["poetry", "engines"]}"#)
        case "/users/2": .status(.ok)
        case "/users/3": .text("<html>Under maintenance</html>")
        case "/users/4": .json(text: #"{"id": 4, "name": "Mary", "interests": []}"#)
        default: .json(text: #"{"message": "nobody has this id"}"#, status: .notFound)
        }
    }
}

enum ChatServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        request.method == .post ? .json(text: request.text, status: .created) : .json(text: #"[{"id": 7}]"#)
    }
}

enum FeedServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        let ada = #"{"id": 1, "name": "Ada", "interests": []}"#
        let second = request.path == "/feeds/1" ? ada : #"{"id": 1, "interests": []}"#
        return .json(
            text: #"{"posts": [{"title": "Notes", "author": \#(ada)}, {"title": "More", "author": \#(second)}]}"#)
    }
}
