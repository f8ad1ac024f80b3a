import HTTPContract
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The behaviours of blocking calls, tested with batches of one request.
@Suite(.timeLimit(.minutes(2))) struct BatchContractTests {
    static let contract = TransportContract("a batch of one") { BatchOfOne() }

    @Test(arguments: contract.cases) func `a batch of one: `(behaviour: TransportContract.Case) throws {
        try Self.contract.check(behaviour)
    }
}

private struct BatchOfOne: HTTPClient {
    let transport = CurlTransport()

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        transport.executeRequests([request]).first ?? .failure(.cancelled(CallRecord(request)))
    }
}
