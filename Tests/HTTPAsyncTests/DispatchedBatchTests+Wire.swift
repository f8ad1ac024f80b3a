import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

@testable import HTTPAsync

extension DispatchedBatchTests {
    @Test func `a decorated transport sends each request once, and each response is at its index`() async throws {
        let server = try MockServer { .text("answer to \($0.path)") }
        let client = CurlTransport().intercepted(by: Interceptor { $1.executeRequest($0) })
        let all = try requests(20, to: server.url("/"))
        let results = await blocking { client.executeRequests(all, on: .limited(to: 4), maxConcurrent: 8) }
        #expect(results?.map { try? $0.get().text() } == (0..<20).map { "answer to /\($0)" })
        #expect(server.requests.map(\.target).sorted() == (0..<20).map { "/\($0)" }.sorted())
        #expect((2...4).contains(server.connectionCount))
    }
}
