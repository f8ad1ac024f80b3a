import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension AwaitTests {
    @Test func `over a real transport many requests are answered at once`() async throws {
        let server = try MockServer { .text("answer to \($0.path)") }
        let client = CurlTransport()
        try await withThrowingTaskGroup { group in
            for index in 0..<50 {
                group.addTask {
                    let response = try await client.send(.get(server.url("/\(index)")))
                    #expect(try response.text() == "answer to /\(index)")
                }
            }
            try await group.waitForAll()
        }
    }
}
