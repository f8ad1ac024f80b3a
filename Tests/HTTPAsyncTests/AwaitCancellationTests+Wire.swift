import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPAsync

extension AwaitCancellationTests {
    @Test func `over a real transport a cancelled task ends the exchange`() async throws {
        let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
        let client = CurlTransport()
        let request = try Request(.get(server.url("/")))
        let task = Task { try await client.send(request) }
        await withCheckedContinuation { continuation in
            Dispatcher.shared.submit { () -> Result<Bool, HTTPError> in
                .success((try? server.wait(for: .requests(1))) != nil)
            } completion: { _ in
                continuation.resume()
            }
        }
        task.cancel()
        // The server may have the request before the transport has seen that it is out.
        #expect([.sending, .waiting].contains(try await failure(task).phase))
    }
}
