import HTTPSupport
import HTTPCore
import Testing

/// Batches over a client that makes one request at a time and ignores its token.
@Suite struct RequestBatchTests {
    private struct Recording: HTTPClient {
        let sent = Locked<[String]>([])

        @available(*, noasync)
        func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
            sent.withLock { $0.append(request.url.target) }
            return .success(Response(request: request, status: .ok))
        }
    }

    /// Whether it was cancelled before it was sent.
    private func isUnsent(_ result: Result<Response, HTTPError>) -> Bool {
        guard case .failure(.cancelled(let record?)) = result else { return false }
        return record.metrics.attemptCount == 0
    }

    @Test func `requests not yet sent when the batch is cancelled are not sent`() throws {
        let client = Recording()
        let requests = try (0..<4).map { try Request(.get("http://a.example/\($0)")) }
        let token = CancellationToken()
        var cancelled: [Int] = []
        token.run {
            client.executeRequests(requests) { index, result in
                if isUnsent(result) { cancelled.append(index) }
                if index == 1 { token.cancel() }
            }
        }
        #expect(client.sent.withLock { $0 } == ["/0", "/1"])
        #expect(cancelled == [2, 3])
    }
}
