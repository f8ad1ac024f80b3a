import Dispatch
import Straightline

extension Suite {
    /// The same as the sequential one in the other styles: the blocking call is the floor, and C is there to compare with.
    static let awaitedGet = Suite(
        section: .concurrent,
        id: "awaited-get",
        name: "sequential keep-alive GET, awaited",
        unit: .microseconds,
        floor: .executeRequest,
        contenders: [
            .awaitedOneByOne, .onExecutorOneByOne, .futureOneByOne, .callbackOneByOne, .batchOneByOne, .curlLoop(),
        ],
        repetitions: 5
    )
}

extension Case {
    fileprivate static let awaitedOneByOne = Case(
        "await client.send", limit: 1.5, rivals: [Rival("AsyncHTTPClient, await", atLeast: 1.8)]
    ) { server in
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        let dispatcher = Dispatcher()
        return awaiting { try checkHello(.success(await client.send(request, on: dispatcher))) }
    }

    fileprivate static let onExecutorOneByOne = Case("await client.send, on the client's executor", limit: 1.1) {
        server in
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        let dispatcher = Dispatcher()
        return awaiting(on: client.executor) { try checkHello(.success(await client.send(request, on: dispatcher))) }
    }

    fileprivate static let futureOneByOne = Case("client.future(for:).wait()") { server in
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        let dispatcher = Dispatcher()
        return timing { try checkHello(.success(client.future(for: request, on: dispatcher).wait())) }
    }

    fileprivate static let batchOneByOne = Case("executeRequests(requests), one at a time") { server in
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        return sharing { count in
            for result in client.executeRequests(Array(repeating: request, count: count), maxConcurrent: 1) {
                try checkHello(result)
            }
        }
    }

    fileprivate static let callbackOneByOne = Case("callback and DispatchSemaphore") { server in
        let client = CurlTransport()
        let request = try Request(.get(server.url))
        let dispatcher = Dispatcher()
        return timing {
            let countdown = Countdown(1)
            client.executeRequest(request, callbackQueue: .immediate, on: dispatcher) { result in
                countdown.finish { try checkHello(result) }
            }
            try countdown.wait()
        }
    }
}
