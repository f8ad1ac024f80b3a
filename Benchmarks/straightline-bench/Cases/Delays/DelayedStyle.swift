import CurlFloor
import Straightline

/// How this program calls a server that takes its time, when it is started as one of the contenders: a process of each
/// kind, so that all its processor time and nothing else is the caller's.
enum DelayedStyle: String, CaseIterable {
    /// What a C programmer would write: threads, each with an easy handle of its own. Its requests have our fields.
    case c
    case blocking
    case awaited
    /// The same on the client's executor; with 64 callers it has two threads.
    case executor
    /// As a program decorates its client.
    case policies
    case executorOfPolicies = "executor-of-policies"
    /// All of them in one call of `executeRequests`.
    case batch
    case batchOfPolicies = "batch-of-policies"

    var name: String {
        switch self {
        case .c: "C on threads, the same fields"
        case .blocking: "executeRequest(request) on threads"
        case .awaited: "await client.send"
        case .executor: "await client.send, executor"
        case .policies: "await client.send, policies"
        case .executorOfPolicies: "await client.send, executor, policies"
        case .batch: "executeRequests(requests)"
        case .batchOfPolicies: "executeRequests(requests), policies"
        }
    }

    /// Makes as many calls as each line of the standard input says, and answers with the nanoseconds of all together.
    static func serve(_ arguments: Arguments) throws {
        guard let style = arguments.text("style").flatMap(DelayedStyle.init), let url = arguments.text("url") else {
            throw Failure("which style, and which URL?")
        }
        let run = try style.run(url, callers: arguments.number("callers"))
        try OwnProgram.serve { count in
            let start = clock_nanoseconds()
            try run(count)
            return [clock_nanoseconds() - start]
        }
    }

    private func run(_ url: String, callers: Int) throws -> (_ count: Int) throws -> Void {
        switch self {
        case .c: try Self.threadsInC(url, callers)
        case .blocking: try Self.threads(url, callers)
        case .awaited: try Self.tasks(url, callers, Self.client(callers))
        case .executor: try Self.tasks(url, callers, Self.client(callers), onExecutor: true)
        case .policies: try Self.tasks(url, callers, Self.decorated(callers))
        case .executorOfPolicies: try Self.tasks(url, callers, Self.decorated(callers), onExecutor: true)
        case .batch: try Self.batch(url, callers, Self.client(callers))
        case .batchOfPolicies:
            try Self.batch(
                url, callers,
                Self.client(callers).intercepted(
                    by: .retry(), .rateLimit(1_000_000, per: .seconds(1), burst: 1_000_000),
                    .bearer(BearerTokens("token") { _ in "token" }), .log { _ in }))
        }
    }

    private static func batch(_ url: String, _ callers: Int, _ client: some HTTPClient) throws -> (Int) throws -> Void {
        let request = try Request(.get(url))
        return { count in
            var problem: (any Error)?
            client.executeRequests(Array(repeating: request, count: count), maxConcurrent: callers) { _, result in
                do { try checkHello(result) } catch { problem = error }
            }
            if let problem { throw problem }
        }
    }

    private static func threadsInC(_ url: String, _ callers: Int) throws -> (Int) throws -> Void {
        let team = try ThreadTeam(callers)
        // Each thread has its own and no other's.
        let loops = Desk(
            try (0..<callers).map { _ in
                let loop = try CurlLoopHandle(url)
                for line in Case.fieldLines { loop.add(field: line) }
                return loop
            })
        return { count in try team.share(count) { thread, count in try loops.value[thread].run(count) } }
    }

    private static func threads(_ url: String, _ callers: Int) throws -> (Int) throws -> Void {
        let client = try client(callers)
        let request = try Request(.get(url))
        let team = try ThreadTeam(callers)
        return { count in try team.work(count) { try checkHello(client.executeRequest(request)) } }
    }

    private static func decorated(_ callers: Int) throws -> any HTTPClient {
        try client(callers).intercepted(by: .activity { _ in }, .log { _ in }, .retry())
    }

    private static func tasks(
        _ url: String, _ callers: Int, _ client: some HTTPClient, onExecutor: Bool = false
    ) throws -> (Int) throws -> Void {
        let request = try Request(.get(url))
        let executor = onExecutor ? EventLoopExecutor(client, threads: callers > 8 ? 2 : 1) : nil
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: callers, runningPerHost: callers))
        return { count in
            try waitFor {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<callers {
                        group.addTask(executorPreference: executor) {
                            for _ in stride(from: task, to: count, by: callers) {
                                try checkHello(.success(await client.send(request, on: dispatcher)))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    /// One that keeps as many connections as there are callers.
    private static func client(_ callers: Int) throws -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.pool = PoolConfiguration(idlePerOrigin: max(callers, 64), idleInAll: max(callers, 100))
        return try CurlTransport(configuration)
    }
}
