import Dispatch
import HTTPTesting
import Straightline

/// A call that costs nothing, so that what is around it shows.
struct StubCall: Sendable {
    let request: Request
    let client: any HTTPClient

    init() throws { try self.init { .success(Response(request: $0, status: .noContent)) } }

    private init(_ answer: @escaping StubClient.Answer) throws {
        request = try Request(.get("http://stub.test/"))
        client = StubClient(answer)
    }

    /// One that can be cancelled while it runs, as a transport's can: it has a handler registered for so long.
    static func cancellable() throws -> StubCall {
        let bell = DispatchSemaphore(value: 0)
        return try StubCall { request in
            let registration = CancellationToken.current?.onCancel { bell.signal() }
            defer { registration?.remove() }
            return .success(Response(request: request, status: .noContent))
        }
    }

    func check(_ result: Result<Response, HTTPError>) throws { try check(result.get()) }

    func check(_ response: Response) throws {
        guard response.status == .noContent else { throw Failure("the stub answered \(response.status)") }
    }
}
