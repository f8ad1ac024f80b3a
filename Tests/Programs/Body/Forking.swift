import HTTPAsync
import HTTPCaching
import HTTPSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A client that forks with kept or used connections. Each response must be the path that was requested.
enum Forking {
    /// Parent and child make requests in turn: blocking, as a batch and through an agent.
    static func betweenCalls(_ base: String) -> Report {
        let client = transport()
        var other: CurlTransport? = transport()
        var failures = check(client, base, ["/parent-1"]) + checkAgent(client, base, "/agent-1")
        failures += checkTogether(client, base, ["/batch-1"])
        failures += other.map { check($0, base, ["/other-1"]) } ?? []
        failures += inChild {
            // The released connection is the parent's.
            let kept = other
            other = nil
            withExtendedLifetime(kept) {}
            return check(client, base, ["/child-1", "/child-2"]) + checkTogether(client, base, ["/child-3"])
                + checkAgent(client, base, "/child-4")
        }
        failures += check(client, base, ["/parent-2"]) + checkAgent(client, base, "/agent-2")
        failures += checkTogether(client, base, ["/batch-2"])
        failures += other.map { check($0, base, ["/other-2"]) } ?? ["the other transport is gone"]
        return report(failures)
    }

    /// The parent forks while it receives a body. The child returns into the call, which must fail there.
    static func inSink(_ base: String) -> Report {
        let client = transport()
        var failures = check(client, base, ["/parent-1"])
        let parent = getpid()
        var forked: pid_t?
        nonisolated(unsafe) let fork = { if forked == nil { forked = Forking.fork() } }
        nonisolated(unsafe) var count = 0
        let result = client.executeRequest(
            .get(base + "/long")
                |> .destination(
                    .stream { _ in
                        BodySink(write: {
                            count += $0.count; fork()
                        })
                    }))
        if getpid() != parent {
            alarm(20)
            guard case .failure(.unsupported) = result else { exit(1) }
            exit(check(client, base, ["/child-1"]).isEmpty ? 0 : 2)
        }
        if let forked { failures += wait(for: forked) }
        if case .failure(let error) = result { failures.append("\(error)") }
        failures += check(client, base, ["/parent-2"])
        return report(failures, byteCount: Int64(count))
    }

    /// The parent forks where it gets the first result of a batch, while the server holds the second. The child returns
    /// into the batch.
    static func inBatch(_ base: String) -> Report {
        let client = transport()
        let parent = getpid()
        var forked: pid_t?
        var isHeldRefused = false
        var failures: [String] = []
        let paths = ["/sent", "/held"]
        client.executeRequests(paths.map { .get(base + $0) }) { index, result in
            if index == 0 {
                forked = fork()
                if getpid() != parent { alarm(20) }
            }
            if getpid() == parent {
                failures += self.failures(result, paths[index])
            } else if index == 1, case .failure(.unsupported) = result {
                isHeldRefused = true
            }
        }
        if getpid() != parent { exit(isHeldRefused && check(client, base, ["/child-1"]).isEmpty ? 0 : 1) }
        if let forked { failures += wait(for: forked) }
        return report(failures + check(client, base, ["/parent-1"]))
    }

    /// The parent forks while a call of its own, through a cache, waits for the server. The child makes the same call.
    static func withCache(_ base: String) -> Report {
        let client = transport().intercepted(by: .cache(.memory(megabytes: 1)))
        let isSent = Signal()
        let isOver = Signal()
        let token = CancellationToken()
        Thread.detachNewThread {
            // Answered once the other request has arrived.
            let sent = transport().executeRequest(.get(base + "/sent"))
            if case .success = sent { isSent.fire() }
        }
        Thread.detachNewThread {
            token.run { _ = client.executeRequest(.get(base + "/shared")) }
            isOver.fire()
        }
        _ = isSent.wait()
        var failures = inChild {
            let start = ContinuousClock.now
            let result = client.executeRequest(.get(base + "/shared"))
            return self.failures(result, "/shared") + (.now - start < .seconds(1) ? [] : ["it waited for its parent"])
        }
        token.cancel()
        if !isOver.wait(until: .now + .seconds(10)) { failures.append("the parent's call does not end") }
        return report(failures)
    }

    /// A task on the client's executor forks between two of its calls, and goes on in both processes. The call of another
    /// task, which the server answers while the child runs, is the parent's.
    static func onExecutor(_ base: String) -> Report {
        let client = transport()
        let failures = Locked<[String]>([])
        let isOver = Signal()
        Task(executorPreference: client.executor) {
            var own = await awaited(client, base, "/parent-1")
            let held = Task(executorPreference: client.executor) { await awaited(client, base, "/held") }
            // Answered once the other request has arrived.
            own += await awaited(client, base, "/sent")
            let child = fork()
            if child == 0 {
                alarm(20)
                let problems = await awaited(client, base, "/child-1") + awaited(client, base, "/child-2")
                exit(problems.isEmpty ? 0 : 1)
            }
            own += wait(for: child)
            own += await held.value
            own += await awaited(client, base, "/parent-2")
            failures.withLock { [own] in $0 = own }
            isOver.fire()
        }
        guard isOver.wait(until: .now + .seconds(30)) else { return report(["it does not end"]) }
        return report(failures.withLock { $0 })
    }

    /// The parent has a mock server. One child stops it, and another keeps its sockets open while the parent does.
    static func withServer() throws -> Report {
        let server = try MockServer { .text($0.path) }
        var failures = inChild {
            server.stop()
            return []
        }
        failures += check(transport(), server.url, ["/parent-1"])
        let child = fork()
        if child == 0 { while true { pause() } }
        let isStopped = Signal()
        Thread.detachNewThread {
            server.stop()
            isStopped.fire()
        }
        if !isStopped.wait(until: .now + .seconds(10)) { failures.append("the server does not stop") }
        _ = kill(child, SIGKILL)
        _ = waitpid(child, nil, 0)
        return report(failures, byteCount: Int64(server.requestCount))
    }

    private static func awaited(_ client: CurlTransport, _ base: String, _ path: String) async -> [String] {
        do throws(HTTPError) { return failures(.success(try await client.send(.get(base + path))), path) } catch {
            return ["\(error)"]
        }
    }

    private static func report(_ failures: [String], byteCount: Int64? = nil) -> Report {
        failures.isEmpty ? Report(byteCount: byteCount) : Report(failure: failures.joined(separator: "; "))
    }

    private static func transport() -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.tls.unverifiedHosts = ["127.0.0.1"]
        do { return try CurlTransport(configuration) } catch { return CurlTransport() }
    }

    // MARK: Requests

    private static func check(_ client: CurlTransport, _ base: String, _ paths: [String]) -> [String] {
        paths.flatMap { failures(client.executeRequest(.get(base + $0)), $0) }
    }

    private static func checkTogether(_ client: CurlTransport, _ base: String, _ paths: [String]) -> [String] {
        zip(client.executeRequests(paths.map { .get(base + $0) }), paths).flatMap { failures($0, $1) }
    }

    private static func checkAgent(_ client: CurlTransport, _ base: String, _ path: String) -> [String] {
        do throws(HTTPError) {
            let call = SubmittedRequest(try Request(.get(base + path)))
            let agent = client.callAgent
            if agent.submit(call) {
                Thread.detachNewThread { agent.drive(idleTime: .seconds(10)) }
            }
            guard call.isOver.wait(until: .now + .seconds(10)), let result = call.result.withLock({ $0 }) else {
                return [path + " does not end"]
            }
            return failures(result, path)
        } catch { return ["\(error)"] }
    }

    private static func failures(_ result: Result<Response, HTTPError>, _ path: String) -> [String] {
        switch result {
        case .success(let response):
            let text = (try? response.text()) ?? ""
            return text == path ? [] : ["\(path) brought \(text.debugDescription)"]
        case .failure(let error): return ["\(error)"]
        }
    }

    // MARK: Processes

    /// The problems in the child. A child that hangs is killed.
    private static func inChild(_ body: () -> [String]) -> [String] {
        let child = fork()
        guard child != 0 else {
            alarm(20)
            let failures = body()
            for failure in failures { FileHandle.standardError.write(Data("in the child: \(failure)\n".utf8)) }
            exit(failures.isEmpty ? 0 : 1)
        }
        return wait(for: child)
    }

    private static func wait(for child: pid_t) -> [String] {
        var status: CInt = 0
        waitpid(child, &status, 0)
        return status == 0 ? [] : ["the child ended with status \(status)"]
    }

    /// Swift hides it, for the reasons that are tested here.
    private static func fork() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        guard let address = dlsym(dlopen(nil, RTLD_LAZY), "fork") else { return -1 }
        return unsafeBitCast(address, to: Fork.self)()
    }
}

/// A request submitted to an agent.
private final class SubmittedRequest: SubmittedCall {
    let request: Request
    let isOver = Signal()
    let result = Locked<Result<Response, HTTPError>?>(nil)

    init(_ request: Request) { self.request = request }

    var deadline: CallDeadline? { nil }
    var isCancelled: Bool { false }

    func finish(_ result: consuming Result<Response, HTTPError>) {
        self.result.withLock { [result] in $0 = result }
        isOver.fire()
    }
}
