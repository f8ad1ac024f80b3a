// A tour: run it with `swift run Quickstart`, or with an address to fetch: `swift run Quickstart https://host/path`.
//
// Without an address it talks to a small server of its own (in DirectoryServer below) on this machine.
import HTTPCore
import HTTPTesting

struct User: Codable, Sendable {
    let id: Int
    let name: String
}

struct Login: Codable, Sendable { let token: String }

let client = CurlTransport()

// One interceptor prints a line for each exchange; everything below is a plain blocking call.
let printing = client.intercepted(
    by: Interceptor { request, next in
        let result = next.executeRequest(request)
        if case .success(let response) = result { print(line(response)) }
        return result
    })

if let url = CommandLine.arguments.dropFirst().first {
    report(printing.executeRequest(.get(url)).map { _ in })
} else {
    let server = try DirectoryServer.start()
    tour(of: server)
    server.stop()
}

func tour(of server: MockServer) {
    heading("A GET decoded into a struct")
    report(printing.execute(.get(server.url("/users/1")), as: User.self).map { print("  \($0)") })

    heading("Log in → profile → friends, as straight-line code")
    report(Result { () throws(HTTPError) in try straightLine(server.url) })

    heading("The same with an endpoint enum")
    report(Result { () throws(HTTPError) in try withEndpoints(server.url) })

    heading("What goes wrong, in a sentence")
    failures(server)
}

func straightLine(_ base: String) throws(HTTPError) {
    let credentials = ["user": "ada", "password": "lovelace"]
    let login = try printing.execute(.post(base + "/login") |> .json(credentials), as: Login.self).get()
    let profile = try printing.execute(.get(base + "/profile") |> .bearer(login.token), as: User.self).get()
    let friends = try printing.execute(
        .get(base + "/users/\(profile.id)/friends") |> .bearer(login.token), as: [User].self
    ).get()
    print("  \(profile.name) knows \(friends.map(\.name).joined(separator: " and "))")
}

/// What every request to the directory has in common.
struct Directory: RequestGenerator {
    var baseURL = "https://directory.example.com"
    var token: String?

    var defaults: RequestStep { .accept("application/json") |> .when(token != nil, .bearer(token ?? "")) }
}

/// Its calls, a line for each.
enum DirectoryEndpoint: ServiceEndpoint {
    case logIn(user: String, password: String)
    case profile
    case friends(of: Int)

    var generator: Directory { Directory() }

    func request(from directory: Directory) -> MutableRequest {
        switch self {
        case .logIn(let user, let password): directory.post("login") |> .json(["user": user, "password": password])
        case .profile: directory.get("profile")
        case .friends(let id): directory.get("users/\(id)/friends")
        }
    }
}

func withEndpoints(_ base: String) throws(HTTPError) {
    var directory = Directory(baseURL: base)
    let logIn = DirectoryEndpoint.logIn(user: "ada", password: "lovelace")
    directory.token = try printing.execute(logIn, from: directory, as: Login.self).get().token
    let profile = try printing.execute(DirectoryEndpoint.profile, from: directory, as: User.self).get()
    let friendsOf = DirectoryEndpoint.friends(of: profile.id)
    let friends = try printing.execute(friendsOf, from: directory, as: [User].self).get()
    print("  \(profile.name) knows \(friends.map(\.name).joined(separator: " and "))")
}

func failures(_ server: MockServer) {
    if let port = try? MockServer.unusedPort() {
        report(client.executeRequest(.get("http://127.0.0.1:\(port)/")).map { _ in })
    }
    report(client.executeRequest(.get(server.url("/slow")) |> .timeout(.milliseconds(200))).map { _ in })
    report(client.execute(.get(server.url("/users/99")), as: User.self).map { _ in })
    report(client.executeRequest(.get("http://exa mple.com/")).map { _ in })
}

/// Method, URL, status, bytes, milliseconds.
func line(_ response: Response) -> String {
    let (seconds, attoseconds) = response.metrics.total.components
    let hundredths = seconds * 100_000 + attoseconds / 10_000_000_000_000
    let fraction = String(hundredths % 100 + 100).dropFirst()
    return "  \(response.request) \(response.status) \(response.body.count) bytes \(hundredths / 100).\(fraction) ms"
}

func heading(_ text: String) { print("\n\(text)") }

func report(_ result: Result<Void, HTTPError>) {
    if case .failure(let error) = result { print("  ✗ \(error)") }
}

/// The server that the tour talks to.
enum DirectoryServer {
    static func start() throws -> MockServer { try MockServer { answer($0) } }

    private static func answer(_ request: ReceivedRequest) -> MockResponse {
        switch (request.method, request.path) {
        case (.get, "/users/1"): .json(#"{"id": 1, "name": "Ada"}"#)
        case (.post, "/login"): .json(#"{"token": "t-1815"}"#)
        case (.get, "/profile"):
            request.headers["Authorization"] == "Bearer t-1815"
                ? .json(#"{"id": 1, "name": "Ada"}"#) : .status(.unauthorized)
        case (.get, "/users/1/friends"): .json(#"[{"id": 2, "name": "Charles"}, {"id": 3, "name": "Mary"}]"#)
        case (.get, "/slow"): MockResponse.text("late").delayed(head: .seconds(30))
        default: .json(#"{"message": "nobody has this id"}"#, status: .notFound)
        }
    }
}
