import CurlFloor
import HTTPAsync
import HTTPCore

extension Suite {
    /// The same as the sequential one, awaited: the blocking call is the floor.
    static let awaitedGet = Suite(
        section: .concurrent,
        id: "awaited-get",
        name: "sequential keep-alive GET, awaited",
        unit: .microseconds,
        floor: .executeRequest,
        contenders: [.awaitedOneByOne]
    )

    static let concurrentGet = Suite(
        section: .concurrent,
        id: "get-64",
        name: "keep-alive GET, 64 at a time",
        unit: .microseconds,
        floor: .multiLoop,
        contenders: [.batchOf64, .awaited64]
    )
}

extension Case {
    fileprivate static let awaitedOneByOne = Case("await client.response(for:)", limit: 1.15) { server in
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        let dispatcher = Dispatcher()
        return awaiting { try checkHello(.success(await client.response(for: request, on: dispatcher))) }
    }

    fileprivate static let batchOf64 = Case("executeRequests(requests)", limit: 1.10) { server in
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        return sharing { count in
            var problem: (any Error)?
            client.executeRequests(Array(repeating: request, count: count), maxConcurrent: 64) { _, result in
                do { try checkHello(result) } catch { problem = error }
            }
            if let problem { throw problem }
        }
    }

    fileprivate static let awaited64 = Case("await client.response(for:) in 64 tasks") { server in
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: 64, runningPerHost: 64))
        return sharing { count in
            try waitFor {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<64 {
                        group.addTask {
                            for _ in stride(from: task, to: count, by: 64) {
                                try checkHello(.success(await client.response(for: request, on: dispatcher)))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    /// A run that does all at once; each slot gets its share of the time.
    private static func sharing(_ work: @escaping (_ count: Int) throws -> Void) -> Run {
        { slots in
            let start = clock_nanoseconds()
            try work(slots.count)
            slots.update(repeating: (clock_nanoseconds() - start) / UInt64(max(slots.count, 1)))
        }
    }
}
