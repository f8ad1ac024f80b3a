// One client for the whole app: its limits, its log, its spinner and whom it trusts are said once, here.
//
// Run it with `swift run CentralClient`. It talks to a small server of its own (AppServer below) on this machine.
import Dispatch
import HTTPMockServer
import HTTPCurl
import HTTPAsync
import Synchronization

/// The app's one way to the network. It is made once, at start, and handed to whoever makes calls.
struct AppClient: Sendable {
    let service: AppService
    let http: any HTTPClient

    /// - Parameters:
    ///   - transport: Makes the exchanges: `SecurityPolicy.transport()`, or a stub in a test.
    ///   - limit: Five requests a second at most.
    ///   - spinner: Gets the number of calls under way, at every change, in order.
    ///   - log: Gets a line for each call. Secrets are masked.
    init(
        _ service: AppService, over transport: any HTTPClient, limit: RateLimit = RateLimit(5, per: .seconds(1)),
        spinner: @escaping @Sendable (Int) -> Void, log: @escaping @Sendable (String) -> Void
    ) {
        self.service = service
        http = transport.intercepted(by: .activity(spinner), .log(to: log), .rateLimit(limit))
    }

    /// Makes a call and waits for it. Only a 2xx status counts.
    @available(*, noasync)
    func call<Value: Decodable>(_ endpoint: AppEndpoint, as type: Value.Type = Value.self) -> Result<Value, HTTPError> {
        http.execute(endpoint, from: service, as: type)
    }

    /// Makes a call that is finished whatever becomes of the caller: who lets go of everything does not end it, nor
    /// does who cancels the work that it was asked for in.
    func finish<Value: Decodable & Sendable>(
        _ endpoint: AppEndpoint, as type: Value.Type = Value.self, callbackQueue: CallbackQueue = .main,
        _ callback: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) {
        _ = CancellationToken.$current.withValue(nil) {
            http.perform({ $0.execute(endpoint, from: service, as: type) }, callbackQueue: callbackQueue, callback)
        }
    }
}

/// The session of the user. These wait, too; awaited it is `app.http.perform { _ in app.start() }`.
extension AppClient {
    /// The check at start: who is logged in; nil for nobody. Without a token nothing is sent. One that the server
    /// refuses is forgotten; one that could not be checked is kept.
    @available(*, noasync)
    func start() -> Result<User?, HTTPError> {
        guard service.tokens.current != nil else { return .success(nil) }
        return call(.session, as: User.self).map(Optional.some).flatMapError { error in
            guard error.status == .unauthorized else { return .failure(error) }
            service.tokens.set(nil)
            return .success(nil)
        }
    }

    @available(*, noasync)
    func logIn(email: String, password: String) -> Result<User, HTTPError> {
        call(.logIn(email: email, password: password), as: Grant.self).flatMap { grant in
            service.tokens.set(grant.token)
            return call(.session)
        }
    }
}

/// What every request has in common.
struct AppService: RequestGenerator {
    var baseURL = "https://api.example.com"
    var tokens = TokenStore()

    var defaults: RequestStep {
        .header("API-Version", "3") |> .header("Device-Type", "linux") |> .ifLet(tokens.current) { .bearer($0) }
    }
}

/// The calls, a line for each.
enum AppEndpoint: ServiceEndpoint {
    case logIn(email: String, password: String)
    case session
    case orders(page: Int)
    case saveDraft(String)

    var generator: AppService { AppService() }

    func request(from service: AppService) -> MutableRequest {
        switch self {
        case .logIn(let email, let password):
            service.post("session") |> .requiring(!email.isEmpty && !password.isEmpty, "email and password required")
                |> .removingHeader("Authorization") |> .json(["email": email, "password": password])
        case .session: service.get("session")
        case .orders(let page): service.get("orders") |> .query("page", page)
        case .saveDraft(let text): service.put("draft") |> .json(["text": text])
        }
    }
}

/// What the app shows of an error.
extension HTTPError {
    /// The server's own message where it gave one, else a sentence for any user. The log has the details.
    var text: String {
        switch self {
        case .invalidRequest(let invalid): invalid.reason
        case .unacceptableStatus(let response): response.serverMessage ?? "the server could not do that"
        case .resolution, .connection, .timedOut: "the server cannot be reached"
        default: "something went wrong"
        }
    }

    /// The code that the server answered with; nil where no answer came.
    var status: HTTPStatus? { response?.status }
}

/// Whose word counts, host by host. A host that is not named needs a certificate that the system trusts.
struct SecurityPolicy: Sendable {
    /// The keys that a host may have: the SHA-256 of each, in base64.
    var pins: [String: [String]] = [:]
    /// Hosts whose certificate is not checked: for a developer's own machine, and only where it is named.
    var uncheckedHosts: Set<String> = []

    /// The key in use, and the one that is kept for the day on which it must be changed.
    static let production = SecurityPolicy(pins: [
        "api.example.com": [
            "SqGaXQ+zqT5s5F9HzHFcwt6Ou3xdxQ2qr5RHtbVvKgk=", "7Yv4q3wmJWIWcmVmkWqjvPOtX8cQbCOWMAzhbXbSMzY=",
        ]
    ])

    static func development(uncheckedHosts: Set<String>) -> SecurityPolicy {
        SecurityPolicy(pins: production.pins, uncheckedHosts: uncheckedHosts)
    }

    func transport() throws(HTTPError) -> CurlTransport { try CurlTransport(configuration()) }

    func configuration() throws(HTTPError) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.tls.unverifiedHosts = uncheckedHosts
        for (host, keys) in pins { configuration.tls.pins[host] = try keys.map(PublicKeyPin.init) }
        return configuration
    }
}

/// Holds the token of the session, which an app keeps in its keychain.
final class TokenStore: Sendable {
    private let token: Mutex<String?>

    init(_ token: String? = nil) { self.token = Mutex(token) }

    var current: String? { token.withLock { $0 } }

    func set(_ new: String?) { token.withLock { $0 = new } }
}

struct User: Codable, Sendable, Equatable { let name: String }

struct Grant: Codable, Sendable { let token: String }

struct Order: Codable, Sendable, Equatable { let id: Int }

struct Draft: Codable, Sendable, Equatable { let text: String }

/// Stands for the thing that turns on the screen while calls are under way.
final class Spinner: Sendable {
    private let counts = Mutex<[Int]>([])

    var history: [Int] { counts.withLock { $0 } }
    var isTurning: Bool { history.last ?? 0 > 0 }

    func update(_ inFlight: Int) { counts.withLock { $0.append(inFlight) } }
}

#if !SNIPPET_TESTS
@main
#endif
enum Demo {
    static func main() throws {
        let server = try MockServer { AppServer.answer($0) }
        let spinner = Spinner()
        let app = AppClient(
            AppService(baseURL: server.url), over: try SecurityPolicy.production.transport(),
            spinner: { spinner.update($0) }, log: { print("  log:", $0) })

        print("At start")
        show(app.start())

        print("\nLogging in")
        show(app.logIn(email: "ada@example.com", password: ""))
        show(app.logIn(email: "ada@example.com", password: "byron"))
        show(app.logIn(email: "ada@example.com", password: "lovelace"))

        print("\nFive a second at most")
        let start = ContinuousClock.now
        for page in 1...3 { show(app.call(.orders(page: page), as: [Order].self)) }
        print("  three calls took \(start.duration(to: .now) >= .milliseconds(600) ? "0.6 s" : "less than 0.6 s")")

        print("\nA draft that is saved although its screen was closed")
        let screen = CancellationToken()
        let isSaved = DispatchSemaphore(value: 0)
        screen.run {
            app.finish(.saveDraft("Dear Charles"), as: Draft.self, callbackQueue: .immediate) { result in
                show(result)
                isSaved.signal()
            }
        }
        screen.cancel()
        isSaved.wait()

        print("\nThe spinner: \(spinner.history), \(spinner.isTurning ? "turning" : "at rest")")
        print("What the server received")
        for request in server.requests {
            print("  \(request.method) \(request.target) by version \(request.headers["API-Version"] ?? "none")")
        }
    }

    static func show<Value>(_ result: Result<Value, HTTPError>) {
        switch result {
        case .success(let value): print("  \(value)")
        case .failure(let error): print("  ✗ \(error.text)\(error.status.map { " (\($0))" } ?? "")")
        }
    }
}

/// The server that the demo talks to.
enum AppServer {
    static func answer(_ request: ReceivedRequest) -> MockResponse {
        if (request.method, request.path) == (.post, "/session") {
            return request.text.contains("lovelace")
                ? .json(#"{"token": "t-1815"}"#)
                : .json(#"{"message": "wrong email or password"}"#, status: .unauthorized)
        }
        guard request.headers["Authorization"] == "Bearer t-1815" else { return .status(.unauthorized) }
        return switch (request.method, request.path) {
        case (.get, "/session"): .json(#"{"name": "Ada"}"#)
        case (.get, "/orders"): .json(#"[{"id": 1}, {"id": 2}]"#)
        case (.put, "/draft"): .json(request.text)
        default: .status(.notFound)
        }
    }
}
