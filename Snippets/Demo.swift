// What the package is about, on one screen: run it with `make demo`, or with `swift run Demo`.
//
// It talks to a small server of its own on this machine. `Quickstart` is the longer tour.
import Foundation
import HTTPMockServer
import HTTPTesting
import Straightline

struct User: Codable, Sendable {
    let id: Int
    let name: String
}

@main
enum Demo {
    static func main() async throws {
        let server = try DemoServer.start()
        defer { server.stop() }
        let client = CurlTransport()
        print(Style.title("Straightline: an HTTP client whose core is one blocking call") + "\n")

        heading("A call, decoded", #"try client.execute(.get(base + "/users/1"), as: User.self)"#)
        try await Dispatcher.shared.run { () throws(HTTPError) in
            show("\(try client.execute(.get(server.url("/users/1")), as: User.self))")
        }

        heading("A retry, and where the time went", "client.intercepted(by: .retry()); response.explanation")
        server.enqueue(.status(503))
        let patient = client.intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .milliseconds(60)))))
        show(try await patient.get(server.url("/jobs/7")).explanation)

        heading("What goes wrong, in a sentence", "catch { print(error) }")
        try await showFailures(server)

        heading("Twenty at once", "try await client.send(…), in a task group")
        let start = ContinuousClock.now
        let answered = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { (try? await client.get(server.url("/users/1"))) != nil } }
            var count = 0
            for await isAnswered in group where isAnswered { count += 1 }
            return count
        }
        show("\(answered) answers in \(milliseconds(since: start)) ms")

        heading("A test, without a network and without waiting", "StubClient().on(…).intercepted(by: .retry())")
        try await showStub()
    }

    static func showFailures(_ server: MockServer) async throws {
        let (client, port) = (CurlTransport(), try MockServer.unusedPort())
        let drafts: [MutableRequest] = [
            .get("http://127.0.0.1:\(port)/"), .get(server.url("/users/99")),
            .get(server.url("/slow")) |> .timeout(.milliseconds(150)), .get("https://exa mple.com/"),
        ]
        var failures: [String] = []
        for draft in drafts {
            do throws(HTTPError) { _ = try await client.execute(draft, as: User.self) } catch {
                failures.append(Style.failure("✗ ") + "\(error)")
            }
        }
        show(failures.joined(separator: "\n"))
    }

    static func showStub() async throws {
        let stub = StubClient().on(
            .get, "https://api.example.com/report",
            answer: .status(503).header("Retry-After", "20").times(2).then(.json(["state": "done"])))
        let start = ContinuousClock.now
        let response = try await stub.intercepted(by: .retry()).get("https://api.example.com/report")
        let waits = stub.time.waits.map { "\($0.components.seconds) s" }.joined(separator: " and ")
        show(
            "\(response.status) at attempt \(response.metrics.attemptCount), after waits of \(waits): \(milliseconds(since: start)) ms"
        )
    }

    /// What it is, and the code that does it.
    static func heading(_ text: String, _ code: String) { print(Style.heading(text) + "  " + Style.code(code)) }

    static func show(_ text: String) {
        for line in text.split(separator: "\n") { print("  " + line) }
        print("")
    }

    static func milliseconds(since start: ContinuousClock.Instant) -> String {
        let tenths = Int(start.duration(to: .now) / .microseconds(100))
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Colours, on a terminal that wants them (no-color.org).
enum Style {
    private static let isColored =
        isatty(STDOUT_FILENO) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

    static func title(_ text: String) -> String { colored(text, "1") }
    static func heading(_ text: String) -> String { colored(text, "1;36") }
    static func code(_ text: String) -> String { colored(text, "2") }
    static func failure(_ text: String) -> String { colored(text, "31") }

    private static func colored(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

enum DemoServer {
    static func start() throws -> MockServer {
        try MockServer { request in
            switch request.path {
            case "/users/1": .json(text: #"{"id": 1, "name": "Ada"}"#)
            case "/jobs/7": MockResponse.text("done").taking(.milliseconds(90))
            case "/slow": MockResponse.text("late").taking(.seconds(30))
            default: .json(text: #"{"message": "nobody has this id"}"#, status: .notFound)
            }
        }
    }
}
