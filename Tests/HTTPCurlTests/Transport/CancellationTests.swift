import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import TestSupport
import Testing

@Suite struct CancellationTests {
    @Test func `a call that is cancelled while its slow sink takes a piece ends soon after it`() throws {
        let server = try MockServer { _ in .data(Data(count: 8 << 20)) }
        let (token, writes) = (CancellationToken(), Tally())
        let sink = BodyDestination.stream { _ in
            BodySink(write: { _ in
                writes.add()
                token.cancel()
                Thread.sleep(forTimeInterval: 0.01)
            })
        }
        let draft = MutableRequest.get(server.url("/")) |> .destination(sink)
        let error = try #require(token.run { CurlTransport().executeRequest(draft) }.failure)
        guard case .cancelled = error else { throw error }
        // libcurl reads enough for 400 of them at once.
        #expect(writes.count < 100)
    }
}
