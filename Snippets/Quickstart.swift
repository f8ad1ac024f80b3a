// A tour: run it with `swift run Quickstart`, or with an address to fetch: `swift run Quickstart https://host/path`.
//
// Without an address it talks to a small server of its own (in DirectoryServer below) on this machine.
import Dispatch
import Foundation
import HTTPMockServer
import Straightline

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
    fetch(url)
} else {
    let server = try DirectoryServer.start()
    tour(of: server)
    await asyncTour(of: server)
    server.stop()
}

func fetch(_ url: String) { report { try printing.get(url) } }

func tour(of server: MockServer) {
    heading("A GET decoded into a struct")
    report { print("  \(try printing.execute(.get(server.url("/users/1")), as: User.self))") }

    heading("Log in → profile → friends, as straight-line code")
    report { try straightLine(server.url) }

    heading("The same with endpoints of a service")
    let directory = printing.service(Directory(baseURL: server.url))
    report { try withEndpoints(directory) }

    heading("A download to a file, with its progress on standard error")
    download(server)

    heading("A model's words as they come, by server-sent events")
    report { try words(server) }

    heading("What goes wrong, in a sentence")
    failures(server)
}

func straightLine(_ base: String) throws(HTTPError) {
    let credentials = ["user": "ada", "password": "lovelace"]
    let login = try printing.execute(.post(base + "/login") |> .json(credentials), as: Login.self)
    let profile = try printing.execute(.get(base + "/profile") |> .bearer(login.token), as: User.self)
    let friends = try printing.execute(
        .get(base + "/users/\(profile.id)/friends") |> .bearer(login.token), as: [User].self)
    print("  \(profile.name) knows \(friends.map(\.name).joined(separator: " and "))")
}

/// The second time the file is there, and nothing is fetched.
func download(_ server: MockServer) {
    let path = NSTemporaryDirectory() + "quickstart-\(UUID().uuidString).bin"
    defer { try? FileManager.default.removeItem(atPath: path) }
    for _ in 1...2 {
        report {
            let file = try client.download(
                .get(server.url("/image")), to: path, progress: { print("  \($0.bytes) bytes") })
            print("  \(file.byteCount) bytes are there, \(file.fetchedByteCount) of them fetched now")
        }
    }
}

func words(_ server: MockServer) throws(HTTPError) {
    try client.stream(.post(server.url("/chat")) |> .json(["prompt": "hello"]), as: .serverSentEvents) { event in
        if event.data == "[DONE]" { throw StopReading() }
        print("  \(event.data)")
    }
}

/// The common properties of all calls to the directory.
struct Directory: RequestGenerator {
    let baseURL: String
    let tokens = BearerTokens()

    var defaults: RequestStep { .accept("application/json") }
    var interceptors: [Interceptor] { [.bearer(tokens)] }
}

/// Its calls, one line each. They know their response types.
extension Endpoint where Generator == Directory {
    static func logIn(user: String, password: String) -> Self where Value == Login {
        .post("login") |> .anonymous |> .json(["user": user, "password": password])
    }
    static var profile: Endpoint<Directory, User> { .get("profile") }
    static func friends(of id: Int) -> Self where Value == [User] { .get("users/\(id)/friends") }
}

func withEndpoints(_ directory: Service<Directory>) throws(HTTPError) {
    let login = try directory.call(.logIn(user: "ada", password: "lovelace"))
    directory.generator.tokens.set(login.token)
    let profile = try directory.call(.profile)
    let friends = try directory.call(.friends(of: profile.id))
    print("  \(profile.name) knows \(friends.map(\.name).joined(separator: " and "))")
}

/// The same three calls in the other styles, and twenty concurrent ones in each.
func asyncTour(of server: MockServer) async {
    let directory = printing.service(Directory(baseURL: server.url))

    heading("The same as a promise chain")
    do { try await promiseChain(directory).get() } catch { show(error) }

    heading("The same with async/await")
    do { try await awaiting(directory) } catch { show(error) }

    heading("A call with a callback on a queue")
    await callbacks(directory)

    heading("Twenty at once, in each style")
    await twentyAtOnce(server.url("/users/1"))
}

func promiseChain(_ directory: Service<Directory>) -> Future<Void, HTTPError> {
    directory.future(for: .logIn(user: "ada", password: "lovelace"))
        .map { login in directory.generator.tokens.set(login.token) }
        .flatMap { directory.future(for: .profile) }
        .flatMap { profile in directory.future(for: .friends(of: profile.id)) }
        .map { friends in print("  Ada knows \(friends.map(\.name).joined(separator: " and "))") }
}

func awaiting(_ directory: Service<Directory>) async throws(HTTPError) {
    let login = try await directory.call(.logIn(user: "ada", password: "lovelace"))
    directory.generator.tokens.set(login.token)
    let profile = try await directory.call(.profile)
    let friends = try await directory.call(.friends(of: profile.id))
    print("  \(profile.name) knows \(friends.map(\.name).joined(separator: " and "))")
}

/// One call. Several in a row are shorter as futures, or awaited.
func callbacks(_ directory: Service<Directory>) async {
    let queue = CallbackQueue.queue(DispatchQueue(label: "quickstart.callbacks"))
    await withCheckedContinuation { done in
        directory.call(.profile, callbackQueue: queue) { profile in
            report { print("  the profile is \(try profile.get().name)'s") }
            done.resume()
        }
    }
}

func twentyAtOnce(_ url: String) async {
    await timed("futures") {
        let all = Future.all((0..<20).map { _ in client.future(for: .get(url)) })
        return (try? await all.get())?.count ?? 0
    }
    await timed("async/await") {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { (try? await client.send(.get(url))) != nil } }
            return await group.reduce(0) { $1 ? $0 + 1 : $0 }
        }
    }
    await timed("callbacks") {
        let (results, arrival) = AsyncStream<Result<Response, HTTPError>>.makeStream()
        for _ in 0..<20 {
            client.executeRequest(.get(url), callbackQueue: .immediate) { arrival.yield($0) }
        }
        return await results.prefix(20).reduce(0) { count, result in (try? result.get()) == nil ? count : count + 1 }
    }
}

/// Prints how many of the twenty were answered, and the time.
func timed(_ style: String, _ work: () async -> Int) async {
    let start = ContinuousClock.now
    let answered = await work()
    print("  \(answered) of 20 by \(style) in \(milliseconds(start.duration(to: .now))) ms")
}

func failures(_ server: MockServer) {
    if let port = try? MockServer.unusedPort() {
        report { try client.get("http://127.0.0.1:\(port)/") }
    }
    report { try client.get(server.url("/slow"), .timeout(.milliseconds(200))) }
    report { _ = try client.execute(.get(server.url("/users/99")), as: User.self) }
    report { try client.get("http://exa mple.com/") }
}

/// Method, URL, status, bytes, milliseconds.
func line(_ response: Response) -> String {
    "  \(response.request) \(response.status) \(response.body.count) bytes \(milliseconds(response.metrics.total)) ms"
}

func milliseconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let hundredths = seconds * 100_000 + attoseconds / 10_000_000_000_000
    return "\(hundredths / 100).\(String(hundredths % 100 + 100).dropFirst())"
}

func heading(_ text: String) { print("\n\(text)") }

func report(_ work: () throws -> Void) {
    do { try work() } catch { show(error) }
}

func show(_ error: any Error) { print("  ✗ \(error)") }

/// The server of the tour.
enum DirectoryServer {
    static func start() throws -> MockServer { try MockServer { answer($0) } }

    private static func answer(_ request: ReceivedRequest) -> MockResponse {
        switch (request.method, request.path) {
        case (.get, "/users/1"): .json(text: #"{"id": 1, "name": "Ada"}"#)
        case (.post, "/login"): .json(text: #"{"token": "t-1815"}"#)
        case (.get, "/profile"):
            request.headers["Authorization"] == "Bearer t-1815"
                ? .json(text: #"{"id": 1, "name": "Ada"}"#) : .status(.unauthorized)
        case (.get, "/users/1/friends"): .json(text: #"[{"id": 2, "name": "Charles"}, {"id": 3, "name": "Mary"}]"#)
        case (.get, "/image"): MockResponse.data([UInt8](repeating: 7, count: 4_000_000)).header("ETag", "\"v1\"")
        case (.post, "/chat"):
            .data("data: Hello,\n\ndata: world!\n\ndata: [DONE]\n\n".utf8, contentType: "text/event-stream")
        case (.get, "/slow"): MockResponse.text("late").taking(.seconds(30))
        default: .json(text: #"{"message": "nobody has this id"}"#, status: .notFound)
        }
    }
}
