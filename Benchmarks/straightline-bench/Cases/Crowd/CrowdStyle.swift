import CurlFloor
import Straightline

/// How this program makes so many calls at once, when it is started as one of the contenders.
enum CrowdStyle: String, CaseIterable {
    case await
    case batch
    /// Awaited by tasks on the client's executor.
    case executor
    /// Read as lines, while they come.
    case lines
    /// Awaited, as a program decorates its client.
    case policies

    /// Makes as many crowds of calls as each line of the standard input says, and answers with the nanoseconds of each.
    static func serve(_ arguments: Arguments) throws {
        guard let style = arguments.text("style").flatMap(CrowdStyle.init), let url = arguments.text("url") else {
            throw Failure("which style, and which URL?")
        }
        let request = try Request(.get(url))
        let client = CurlTransport()
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: CallCrowd.size, runningPerHost: CallCrowd.size))
        try OwnProgram.serve { count in
            try (0..<count).map { _ in
                let start = clock_nanoseconds()
                switch style {
                case .await: try awaited(request, client, dispatcher)
                case .batch: try batch(request, client)
                case .executor: try awaited(request, client, dispatcher, on: client.executor)
                case .lines: try lines(request, client, dispatcher)
                case .policies: try awaited(request, decorated(client), dispatcher)
                }
                return clock_nanoseconds() - start
            }
        }
    }

    /// With a limit that holds nobody back.
    private static func decorated(_ client: CurlTransport) -> any HTTPClient {
        client.intercepted(
            by: .log { _ in }, .retry(), .rateLimit(1_000_000, per: .seconds(1), burst: CallCrowd.size),
            .bearer(BearerTokens("token") { _ in "token" }))
    }

    private static func awaited(
        _ request: Request, _ client: any HTTPClient, _ dispatcher: Dispatcher, on executor: EventLoopExecutor? = nil
    ) throws {
        try waitFor(on: executor) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<CallCrowd.size {
                    group.addTask { try checkHello(.success(await client.send(request, on: dispatcher))) }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func lines(_ request: Request, _ client: CurlTransport, _ dispatcher: Dispatcher) throws {
        try waitFor {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<CallCrowd.size {
                    group.addTask {
                        for try await line in client.stream(request, as: .lines, on: dispatcher) {
                            guard line == "Hello, world!" else { throw Failure("a line is \(line)") }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func batch(_ request: Request, _ client: CurlTransport) throws {
        let requests = Array(repeating: request, count: CallCrowd.size)
        var problem: (any Error)?
        client.executeRequests(requests, maxConcurrent: CallCrowd.size) { _, result in
            do { try checkHello(result) } catch { problem = error }
        }
        if let problem { throw problem }
    }
}
