import HTTPAsync
import HTTPCore
import HTTPTesting
import Testing

@Suite struct AwaitTests {
    let url = "http://example.com/"

    @Test func `a request is answered without holding the task's thread`() async throws {
        let response = try await StubClient.ok.response(for: .get(url))
        #expect(response.status == .ok)
    }

    @Test func `a finished request is sent as it is`() async throws {
        let request = try Request(.get(url + "a"))
        #expect(try await StubClient.ok.response(for: request).request.url.target == "/a")
    }
}
