import HTTPContract
import HTTPSupport
import Dispatch
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The behaviours of blocking calls, tested with dispatched calls, which use the feed if they can.
@Suite(.timeLimit(.minutes(2))) struct FeedContractTests {
    static let contract = TransportContract(
        "a feed",
        excluding: [
            .init(
                "the sink is called on the calling thread, and finished once",
                because: "it is called on a worker's thread"),
            .init("the source is asked on the calling thread", because: "it is asked on a worker's thread"),
        ]
    ) { FedCalls() }

    @Test(arguments: contract.cases) func `a feed: `(behaviour: TransportContract.Case) throws {
        try Self.contract.check(behaviour)
    }
}

private struct FedCalls: HTTPClient {
    let transport = CurlTransport()
    let dispatcher = Dispatcher(.init(running: 100, runningPerHost: 100, idleTime: .milliseconds(200)))

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let outcome = Locked<Result<Response, HTTPError>?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        transport.executeRequest(request, callbackQueue: .immediate, on: dispatcher) { result in
            outcome.withLock { $0 = result }
            isOver.signal()
        }
        isOver.wait()
        return outcome.withLock { $0 } ?? .failure(.cancelled(CallRecord(request)))
    }
}
