// One client for the whole app: its limits, log, spinner and trust are configured once, here.
//
// Run it with `swift run CentralClient`. It talks to a small server of its own (AppServer below) on this machine.
import Dispatch
import HTTPMockServer
import Straightline
import Synchronization

/// The app's access to the network. It is made once, at launch, and passed to all code that makes calls.
struct AppClient: Sendable {
    let service: Service<AppService>

    static let shared = AppClient(over: client(.production), log: { print($0) })

    /// The spinner gets the number of running calls at every change. The log gets a line for each call, which shows its
    /// waits separately.
    init(
        _ service: AppService = AppService(), over transport: any HTTPClient,
        limit: RateLimit = RateLimit(5, per: .seconds(1)), spinner: @escaping @Sendable (Int) -> Void = { _ in },
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.service =
            transport.intercepted(by: .activity(spinner), .log(to: log), .rateLimit(limit)).service(service)
    }

    /// A misspelled pin fails every call, but not the launch of the app.
    static func client(_ tls: TLSConfiguration) -> any HTTPClient {
        do throws(HTTPError) { return try CurlTransport(CurlConfiguration(tls: tls)) } catch {
            return CurlTransport().intercepted(by: Interceptor { _, _ in .failure(error) })
        }
    }

    var tokens: BearerTokens { service.generator.tokens }

    /// The check at launch: the logged-in user, or nil. Without a token nothing is sent. A token that the server
    /// refuses is removed; one that could not be checked is kept.
    @available(*, noasync)
    func start() throws(HTTPError) -> User? {
        guard tokens.current != nil else { return nil }
        do throws(HTTPError) { return try service.call(.session) } catch  where error.status == .unauthorized {
            tokens.set(nil)
            return nil
        }
    }

    @available(*, noasync)
    func logIn(email: String, password: String) throws(HTTPError) -> User {
        tokens.set(try service.call(.logIn(email: email, password: password)).token)
        return try service.call(.session)
    }
}

/// The common properties of all requests.
struct AppService: RequestGenerator {
    var baseURL = "https://api.example.com"
    var tokens = BearerTokens(scheme: "JWT")

    /// The parameter goes into the query of a GET and into the body of a POST or PUT.
    var defaults: RequestStep { .header("API-Version", "3") |> .parameter("device_type", "linux") }
    var interceptors: [Interceptor] { [.bearer(tokens)] }
}

/// The calls, one line each.
extension Endpoint where Generator == AppService {
    static func logIn(email: String, password: String) -> Self where Value == Grant {
        .post("session") |> .anonymous
            |> .requiring(!email.isEmpty && !password.isEmpty, "email and password required")
            |> .parameters(["email": email, "password": password])
    }
    static var session: Endpoint<AppService, User> { .get("session") }
    static func orders(page: Int) -> Self where Value == [Order] { .get("orders") |> .parameter("page", page) }
    static func save(_ draft: Draft) -> Self where Value == Draft { .put("draft") |> .parameters(draft) }
}

/// The text that the app shows for an error.
extension HTTPError {
    /// The server's message if there is one, else a sentence for any user. The log has the details.
    var text: String {
        switch self {
        case .invalidRequest(let invalid): invalid.reason
        case .unacceptableStatus(let response): response.serverMessage ?? "the server could not do that"
        case .resolution, .connection, .timedOut: "the server cannot be reached"
        default: "something went wrong"
        }
    }
}

/// The TLS settings. A host without pins only needs a certificate that the system trusts.
extension TLSConfiguration {
    /// The current key, and a backup for the day when it must be changed.
    static let production = TLSConfiguration(pins: [
        "api.example.com": [
            "SqGaXQ+zqT5s5F9HzHFcwt6Ou3xdxQ2qr5RHtbVvKgk=", "7Yv4q3wmJWIWcmVmkWqjvPOtX8cQbCOWMAzhbXbSMzY=",
        ]
    ])
}

struct User: Codable, Sendable, Equatable { let name: String }

struct Grant: Codable, Sendable { let token: String }

struct Order: Codable, Sendable, Equatable { let id: Int }

struct Draft: Codable, Sendable, Equatable { let text: String }

#if !SNIPPET_TESTS
@main
#endif
enum Demo {
    static func main() throws {
        let server = try MockServer { AppServer.answer($0) }
        let spinner = Spinner()
        let app = AppClient(
            AppService(baseURL: server.url), over: AppClient.client(.production),
            spinner: { spinner.update($0) }, log: { print("  log:", $0) })

        print("At start")
        show { try app.start() }

        print("\nLogging in")
        show { try app.logIn(email: "ada@example.com", password: "") }
        show { try app.logIn(email: "ada@example.com", password: "byron") }
        show { try app.logIn(email: "ada@example.com", password: "lovelace") }

        print("\nFive a second at most")
        for page in 1...3 { show { try app.service.call(.orders(page: page)) } }

        print("\nA draft that is saved although its screen was closed")
        let screen = CancellationToken()
        let isSaved = DispatchSemaphore(value: 0)
        screen.run {
            app.service.detached.call(.save(Draft(text: "Dear Charles")), callbackQueue: .immediate) { result in
                show { try result.get() }
                isSaved.signal()
            }
            screen.cancel()
        }
        isSaved.wait()

        print("\nThe spinner: \(spinner.history), \(spinner.isTurning ? "turning" : "at rest")")
        print("What the server received")
        for request in server.requests {
            print("  \(request.method) \(request.target) by version \(request.headers["API-Version"] ?? "none")")
        }
    }

    static func show<Value>(_ call: () throws -> Value) {
        do { print("  \(try call())") } catch let error as HTTPError {
            print("  ✗ \(error.text)\(error.status.map { " (\($0))" } ?? "")")
        } catch { print("  ✗ \(error)") }
    }
}

/// Represents the spinner on the screen, which runs during calls.
final class Spinner: Sendable {
    private let counts = Mutex<[Int]>([])

    var history: [Int] { counts.withLock { $0 } }
    var isTurning: Bool { history.last ?? 0 > 0 }

    func update(_ inFlight: Int) { counts.withLock { $0.append(inFlight) } }
}

/// The server of the demo.
enum AppServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        if (request.method, request.path) == (.post, "/session") {
            return request.text.contains("lovelace")
                ? .json(text: #"{"token": "t-1815"}"#)
                : .json(text: #"{"message": "wrong email or password"}"#, status: .unauthorized)
        }
        guard request.headers["Authorization"] == "JWT t-1815" else { return .status(.unauthorized) }
        return switch (request.method, request.path) {
        case (.get, "/session"): .json(text: #"{"name": "Ada"}"#)
        case (.get, "/orders"): .json(text: #"[{"id": 1}, {"id": 2}]"#)
        case (.put, "/draft"): .json(text: request.text)
        default: .status(.notFound)
        }
    }
}
