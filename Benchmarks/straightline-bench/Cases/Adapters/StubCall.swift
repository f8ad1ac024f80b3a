import HTTPAsync
import HTTPCore
import HTTPTesting

/// A call that costs nothing, so that what is around it shows.
struct StubCall: Sendable {
    let request: Request
    let client: any HTTPClient

    init() throws {
        request = try Request(.get("http://stub.test/"))
        client = StubClient { .success(Response(request: $0, status: .noContent)) }
    }

    func check(_ result: Result<Response, HTTPError>) throws { try check(result.get()) }

    func check(_ response: Response) throws {
        guard response.status == .noContent else { throw Failure("the stub answered \(response.status)") }
    }
}
