import CurlFloor
import Foundation
import Straightline

/// How this program makes so many calls at once, when it is started as one of the contenders.
enum CrowdStyle: String, CaseIterable {
    case await
    case batch
    /// Awaited by tasks on the client's executor.
    case executor
    /// 5,000, each to a file.
    case downloads
    /// 5,000, read as lines, while they come.
    case lines
    /// Awaited, as a program decorates its client.
    case policies

    var size: Int {
        switch self {
        case .await, .batch, .executor, .policies: CallCrowd.size
        case .downloads, .lines: CallCrowd.size / 2
        }
    }

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
                case .downloads: try downloads(request, client, dispatcher)
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

    private static func downloads(_ request: Request, _ client: CurlTransport, _ dispatcher: Dispatcher) throws {
        let directory = URL.temporaryDirectory.appending(path: "crowd-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try waitFor {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<Self.downloads.size {
                    group.addTask {
                        let path = directory.appending(path: "\(number)")
                        let file = try await client.download(request, to: path, on: dispatcher)
                        guard file.byteCount == 13 else { throw Failure("a file has \(file.byteCount) bytes") }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func lines(_ request: Request, _ client: CurlTransport, _ dispatcher: Dispatcher) throws {
        try waitFor {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.lines.size {
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
