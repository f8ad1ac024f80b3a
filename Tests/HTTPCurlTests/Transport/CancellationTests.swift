import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import TestSupport
import Testing

@Suite struct CancellationTests {
    @Test func `a call that is cancelled while its sink takes a piece ends before the next`() throws {
        let server = try MockServer { _ in .data(Data(count: 8 << 20)) }
        let (token, writes) = (CancellationToken(), Tally())
        let sink = BodyDestination.stream { _ in
            BodySink(write: { _ in
                writes.add()
                token.cancel()
            })
        }
        let draft = MutableRequest.get(server.url("/")) |> .destination(sink)
        let error = try #require(token.run { CurlTransport().executeRequest(draft) }.failure)
        guard case .cancelled = error else { throw error }
        #expect(writes.count == 1)
    }
}
