import Straightline

extension Suite {
    static let concurrentGets = [8, 64, 512].map { width in
        Suite(
            section: .concurrent,
            id: "get-\(width)",
            name: "keep-alive GET, \(width) at a time",
            unit: width > 64 ? .microsecondsOfMany : .microseconds,
            floor: .multiLoop(width),
            contenders: [
                .multiLoopOfSameFields(width), .threads(width), .batch(width), .tasks(width), .futures(width),
                .callbacks(width),
            ],
            repetitions: 5
        )
    }

    /// Over one connection, but for the threads, of which each has its own.
    static let concurrentSecureGet = Suite(
        section: .secure,
        id: "http2-get-64",
        name: "HTTPS and HTTP/2 GET, 64 at a time",
        unit: .microseconds,
        floor: .multiLoop(64, urlOfServer),
        contenders: [
            .multiLoopOfSameFields(64, urlOfServer), .threads(64, urlOfServer), .batch(64, urlOfServer),
            .tasks(64, urlOfServer, rivals: [Rival("AsyncHTTPClient, await", atLeast: 1.8)]),
            .futures(64, urlOfServer), .callbacks(64, urlOfServer),
        ],
        urlOfPeers: urlOfServer,
        repetitions: 5
    )

    private static let urlOfServer: @Sendable (Server) -> String = { $0.http2URL }
}

extension Case {
    /// Blocking calls on as many threads, which are there already.
    fileprivate static func threads(_ width: Int, _ url: @escaping Server.Choice = Server.plain) -> Case {
        Case("executeRequest(request) on \(width) threads") { server in
            let client = try Case.client(width)
            let request = try Request(.get(url(server)))
            let threads = try ThreadTeam(width)
            return sharing { count in
                try threads.work(count) { try checkHello(client.executeRequest(request)) }
            }
        }
    }

    fileprivate static func batch(_ width: Int, _ url: @escaping Server.Choice = Server.plain) -> Case {
        Case(
            "executeRequests(requests)", limit: 1.10,
            rivals: [Rival(sameFieldsName("C loop over a multi handle"), atLeast: 1 / 1.10)]
        ) { server in
            let client = try Case.client(width)
            let request = try Request(.get(url(server)))
            return sharing { count in
                var problem: (any Error)?
                client.executeRequests(Array(repeating: request, count: count), maxConcurrent: width) { _, result in
                    do { try checkHello(result) } catch { problem = error }
                }
                if let problem { throw problem }
            }
        }
    }

    fileprivate static func tasks(
        _ width: Int, _ url: @escaping Server.Choice = Server.plain, rivals: [Rival] = Rival.ofTasks
    ) -> Case {
        Case("await client.send in \(width) tasks", rivals: rivals) { server in
            let client = try Case.client(width)
            let request = try Request(.get(url(server)))
            let dispatcher = Dispatcher(Dispatcher.Configuration(running: width, runningPerHost: width))
            return sharing { count in
                try waitFor {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for task in 0..<width {
                            group.addTask {
                                for _ in stride(from: task, to: count, by: width) {
                                    try checkHello(.success(await client.send(request, on: dispatcher)))
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        }
    }

    fileprivate static func futures(_ width: Int, _ url: @escaping Server.Choice = Server.plain) -> Case {
        Case("client.future(for:), all of them") { server in
            let client = try Case.client(width)
            let request = try Request(.get(url(server)))
            let dispatcher = Dispatcher(Dispatcher.Configuration(running: width, runningPerHost: width))
            return sharing { count in
                let all = Future.all(Array(repeating: request, count: count), maxConcurrent: width) {
                    client.future(for: $0, on: dispatcher)
                }
                for response in try all.wait() { try checkHello(.success(response)) }
            }
        }
    }

    /// All are given to the dispatcher at once, which runs as many as there may be.
    fileprivate static func callbacks(_ width: Int, _ url: @escaping Server.Choice = Server.plain) -> Case {
        Case("executeRequest(request, callbackQueue:)") { server in
            let client = try Case.client(width)
            let request = try Request(.get(url(server)))
            let dispatcher = Dispatcher(Dispatcher.Configuration(running: width, runningPerHost: width))
            return sharing { count in
                let countdown = Countdown(count)
                for _ in 0..<count {
                    client.executeRequest(request, callbackQueue: .immediate, on: dispatcher) { result in
                        countdown.finish { try checkHello(result) }
                    }
                }
                try countdown.wait()
            }
        }
    }

    /// One that keeps as many connections as there are requests at a time.
    private static func client(_ width: Int) throws -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.pool = PoolConfiguration(idlePerOrigin: max(width, 64), idleInAll: max(width, 100))
        return try CurlTransport(configuration)
    }
}

extension Rival {
    fileprivate static let ofTasks = [Rival("AsyncHTTPClient, await", atLeast: 1.4), Rival("Go", atLeast: 1 / 1.15)]
}
