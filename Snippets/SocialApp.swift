// A service with defaults, and calls that add to them, leave one out or leave out all: run it with
// `swift run SocialApp`.
//
// It talks to a small server of its own (SocialServer below) on this machine.
import Foundation
import HTTPMockServer
import Straightline
import Synchronization

// MARK: - The layer

/// The common properties of all calls to the service. A further step in `common` applies to all of them:
///
///     .accept("application/json") |> .header("xyz", "abc")
struct Social: EnumeratedGenerator {
    typealias Calls = SocialEndpoint

    var baseURL = "https://social.example.com/api"
    var common: RequestStep = .accept("application/json")
    /// Nil before the login.
    var session: Session?

    var defaults: RequestStep {
        common |> .ifLet(session) { .bearer($0.token) |> .parameter("user_id", $0.userId) }
    }

    /// For anonymous calls: the defaults without the user.
    static let anonymous: RequestStep = .removingHeader("Authorization") |> .removingParameter("user_id")
}

/// Its calls, one line each.
enum SocialEndpoint: ServiceEndpoint {
    case logIn(user: String, password: String)
    case profile
    case friends(online: Bool)
    /// The photos of all users, not sorted for the current one.
    case explore
    /// A page that is the same for everyone, from a cache that does not know users.
    case terms
    case upload(photo: String, file: String)
    case photo(String)

    func request(from social: Social) -> MutableRequest {
        switch self {
        case .logIn(let user, let password):
            social.post("login") |> Social.anonymous |> .parameters(["user": user, "password": password])
        case .profile: social.get("profile")
        case .friends(let online): social.get("friends") |> .parameter("online", online)
        case .explore: social.get("photos") |> .removingParameter("user_id")
        case .terms: social.get("terms") |> .withoutDefaults
        // The file is the body, so the parameters go into the query.
        case .upload(let photo, let file):
            social.put("photos/\(photo)") |> .parameterEncoding(.query) |> .file(file, contentType: "image/jpeg")
        case .photo(let photo): social.get("photos/\(photo)") |> .accept("image/jpeg")
        }
    }
}

struct Session: Decodable, Equatable {
    let token: String
    let userId: Int
}

struct Person: Decodable, Equatable {
    let id: Int
    let name: String
}

// MARK: - The tour

#if !SNIPPET_TESTS
@main
#endif
enum SocialApp {
    static func main() throws {
        let server = try SocialServer.start()
        let client = CurlTransport().intercepted(by: .log { print($0) })
        try tour(of: Social(baseURL: server.url("/api")), over: client)
        showOneLine()
        server.stop()
    }

    static func tour(of generator: Social, over client: any HTTPClient) throws {
        var generator = generator
        generator.session = try client.service(generator).call(
            .logIn(user: "ada", password: "lovelace"), as: Session.self)
        let social = client.service(generator)

        let me = try social.call(.profile, as: Person.self)
        let friends = try social.call(.friends(online: true), as: [Person].self)
        print("  \(me.name) could talk to \(friends.map(\.name).joined(separator: " and "))")

        let terms = try social.call(.terms, as: String.self)
        print("  the terms, asked for without a word about who is asking: \(terms)")

        try photos(social)
        let names = try social.call(.explore, as: [String].self)
        print("  photos by now: \(names.joined(separator: ", "))")
    }

    /// Uploads and downloads a file.
    static func photos(_ social: Service<Social>) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let original = directory.appendingPathComponent("sea.jpg")
        let copy = directory.appendingPathComponent("copy.jpg")
        try Data(count: 1 << 20).write(to: original)

        try social.call(.upload(photo: "sea at night", file: original.path))
        let photo = social.request(.photo("sea at night"))
        let download = try social.client.download(photo, to: copy.path)
        let isSame = FileManager.default.contentsEqual(atPath: original.path, andPath: copy.path)
        print("  \(download.byteCount) bytes came back, \(isSame ? "the same" : "others")")
    }

    /// The effect of one changed line on all calls, except the one that refuses it.
    static func showOneLine() {
        let social = Social(common: .accept("application/json") |> .header("xyz", "abc"))
        let calls: [SocialEndpoint] = [
            .logIn(user: "ada", password: "lovelace"), .profile, .friends(online: true), .explore,
            .upload(photo: "sea", file: "sea.jpg"), .photo("sea"),
        ]
        let changed = calls.filter { $0.request(from: social).headers["xyz"] == "abc" }
        print("  one line changed, and \(changed.count) of \(calls.count) calls carry xyz: abc")
    }
}

/// The server of the tour. It stores photos, and requires the user if that matters.
final class SocialServer: Sendable {
    private let photos = Mutex<[String: [UInt8]]>([:])

    static func start() throws -> MockServer {
        let social = SocialServer()
        return try MockServer { social.answer($0) }
    }

    private func answer(_ request: ReceivedRequest) -> MockResponse {
        let isKnown = request.headers["Authorization"] == "Bearer t-1815"
        let isAda = isKnown && request.query("user_id") == "7"
        return switch (request.method, request.path) {
        case (.post, "/api/login"): .json(text: #"{"token": "t-1815", "userId": 7}"#)
        case (.get, "/api/terms"): .text("be kind")
        case (.get, "/api/photos") where isKnown: .json(text: #"["\#(names.joined(separator: #"", ""#))"]"#)
        case (.get, "/api/profile") where isAda: .json(text: #"{"id": 7, "name": "Ada"}"#)
        case (.get, "/api/friends") where isAda:
            .json(text: #"[{"id": 8, "name": "Charles"}, {"id": 9, "name": "Mary"}]"#)
        case (.put, let path) where isAda: keep(request.body, at: path)
        case (.get, let path) where isAda: photo(at: path)
        default: .json(text: #"{"message": "who is asking?"}"#, status: .unauthorized)
        }
    }

    private var names: [String] {
        photos.withLock { $0.keys.compactMap { $0.split(separator: "/").last?.removingPercentEncoding }.sorted() }
    }

    private func keep(_ bytes: [UInt8], at path: String) -> MockResponse {
        photos.withLock { $0[path] = bytes }
        return .status(.created)
    }

    private func photo(at path: String) -> MockResponse {
        photos.withLock { $0[path] }.map { .data($0, contentType: "image/jpeg") } ?? .status(.notFound)
    }
}
